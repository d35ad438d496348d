module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	github.com/cenkalti/backoff/v4 v4.3.0
)

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
