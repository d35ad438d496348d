module github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go

go 1.19
