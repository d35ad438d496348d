module port

go 1.19

require (
	github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go v0.0.0
	k8s.io/apimachinery v0.26.15
)

require (
	github.com/go-logr/logr v1.2.3 // indirect
	k8s.io/klog/v2 v2.80.1 // indirect
	k8s.io/utils v0.0.0-20221107191617-1a15be271d1d // indirect
)

replace github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go => ../helpers
