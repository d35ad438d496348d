module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	github.com/jpillora/backoff v1.1.0
)

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
