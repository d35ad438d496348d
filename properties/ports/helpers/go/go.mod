module backoffport

go 1.19
