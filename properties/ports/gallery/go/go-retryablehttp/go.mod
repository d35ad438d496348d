module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	github.com/hashicorp/go-retryablehttp v0.7.4
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
