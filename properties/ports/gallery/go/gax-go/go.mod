module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	github.com/googleapis/gax-go/v2 v2.7.1
)

require (
	github.com/golang/protobuf v1.5.2 // indirect
	golang.org/x/net v0.7.0 // indirect
	golang.org/x/sys v0.5.0 // indirect
	golang.org/x/text v0.7.0 // indirect
	google.golang.org/api v0.111.0 // indirect
	google.golang.org/genproto v0.0.0-20230303212802-e74f57abe488 // indirect
	google.golang.org/grpc v1.53.0 // indirect
	google.golang.org/protobuf v1.28.1 // indirect
)

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
