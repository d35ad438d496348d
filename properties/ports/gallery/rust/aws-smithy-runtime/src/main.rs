//! aws-smithy-runtime's standard retries as a port, as clients of AWS run them: an Operation whose every request fails as a broken
//! connection does, which the package's own classifier retries, and whose sleep says for how long and ends at the next call.
//! Its max_attempts counts the first request too. Its quota of retries has no place in the document: unlimited, as documented.
//! A reset is the same operation invoked again. It draws by itself.
mod backoff_port;
use aws_smithy_async::rt::sleep::{AsyncSleep, Sleep};
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::{classifiers::TransientErrorClassifier, RetryPartition, TokenBucket};
use aws_smithy_runtime_api::client::http::{http_client_fn, HttpConnector, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::result::{ConnectorError, SdkError};
use aws_smithy_runtime_api::client::{orchestrator::HttpRequest, runtime_plugin::StaticRuntimePlugin};
use aws_smithy_types::{config_bag::Layer, retry::RetryConfig};
use backoff_port::{answer, serve, text, Instance, Json};
use std::future::{poll_fn, Future};
use std::{fmt::Error, mem::replace, sync::Arc, sync::Mutex, task::Context, task::Poll, task::Waker, time::Duration};

#[derive(Clone, Debug, Default)]
struct World(Arc<Mutex<Option<f64>>>);  // the milliseconds that it sleeps

impl AsyncSleep for World {
    fn sleep(&self, duration: Duration) -> Sleep {
        assert!(self.0.lock().unwrap().replace(duration.as_nanos() as f64 / 1e6).is_none(), "two sleeps at once");
        let mut slept = false;
        Sleep::new(poll_fn(move |_| if replace(&mut slept, true) { Poll::Ready(()) } else { Poll::Pending }))
    }
}

impl HttpConnector for World {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture { HttpConnectorFuture::ready(Err(ConnectorError::io("gallery".into()))) }
}

fn port(params: &Json) -> Result<Instance, String> {
    let (world, duration) = (World::default(), |name| Duration::from_millis(params.number(name)));
    let retries = RetryConfig::standard().with_max_attempts(params.number::<u32>("max_attempts") + 1)
        .with_initial_backoff(duration("base_ms")).with_max_backoff(duration("max_ms"));
    let (connector, mut quota) = (SharedHttpConnector::new(world.clone()), Layer::new("quota"));
    quota.store_put(RetryPartition::custom("gallery").token_bucket(TokenBucket::unlimited()).build());
    let operation = Arc::new(Operation::builder().service_name("gallery").operation_name("fail").endpoint_url("http://localhost").no_auth()
        .http_client(http_client_fn(move |_, _| connector.clone())).sleep_impl(world.clone()).standard_retry(&retries)
        .retry_classifier(TransientErrorClassifier::<Error>::new()).runtime_plugin(StaticRuntimePlugin::new().with_config(quota.freeze()))
        .serializer(|()| Ok(HttpRequest::empty())).deserializer::<(), Error>(|_| unreachable!()).build());
    let invoke = move || { let operation = operation.clone(); Some(Box::pin(async move { operation.invoke(()).await })) };
    let mut running = invoke();
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" { running = invoke(); return answer([("status", text("ok"))]); }
        match running.as_mut().map(|run| run.as_mut().poll(&mut Context::from_waker(Waker::noop()))) {
            Some(Poll::Pending) => answer([("status", text("retry")), ("delay_ms", text(world.0.lock().unwrap().take().expect("a sleep")))]),
            Some(Poll::Ready(Err(SdkError::DispatchFailure(_)))) | None => { running = None; answer([("status", text("exhausted"))]) }
            Some(Poll::Ready(other)) => panic!("{other:?}"),
        }
    }))
}

fn main() {
    serve(r#"{"protocol":1,"port":{"name":"aws-smithy-runtime standard retries","version":"1.9.4","language":"Rust"},
              "systems":["aws_backoff_algorithm"],"draws":"opaque","max_batch":256,"features":["instances","fresh_process"],
              "ranges":{"max_attempts":{"range":["0","4294967294"],"forever":false}}}"#, port);
}
