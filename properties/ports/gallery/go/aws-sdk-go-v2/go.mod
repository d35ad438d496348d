module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	github.com/aws/aws-sdk-go-v2 v1.24.1
)

require github.com/aws/smithy-go v1.19.0 // indirect

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
