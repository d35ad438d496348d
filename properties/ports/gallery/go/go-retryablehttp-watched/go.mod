module port

go 1.19

require github.com/hashicorp/go-retryablehttp v0.7.4

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
