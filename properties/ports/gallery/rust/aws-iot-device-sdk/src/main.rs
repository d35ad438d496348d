//! aws-iot-device-sdk's BackoffAlgorithm as a port: an iterator of delays. Its random number is a field that anyone may set, and
//! is given the draw before each delay. Its documentation does not say what that number is to be; no reading of it would put
//! a delay below the base. It has no number of attempts; that the iterator ends is exhaustion, and nobody asks an iterator on that
//! has ended. A reset is a new one.
mod backoff_port;
use aws_iot_device_sdk::backoff_algo::BackoffAlgorithm;
use backoff_port::{answer, serve, text, Instance, Json};

fn port(params: &Json) -> Result<Instance, String> {
    let (base, max) = (params.number("base_ms"), params.number("max_ms"));
    let (mut delays, mut ended) = (BackoffAlgorithm::new(base, max, Some(0)), false);
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" {
            (delays, ended) = (BackoffAlgorithm::new(base, max, Some(0)), false);
            return answer([("status", text("ok"))]);
        }
        delays.rand = Some(step.number("draw"));
        match if ended { None } else { delays.next() } {
            Some(delay) => answer([("status", text("retry")), ("delay_ms", text(delay))]),
            None => { ended = true; answer([("status", text("exhausted"))]) }
        }
    }))
}

fn main() {
    serve(r#"{"protocol":1,"port":{"name":"aws-iot-device-sdk BackoffAlgorithm","version":"0.0.6","language":"Rust"},
              "systems":["aws_backoff_algorithm"],"max_batch":256,"ranges":{"max_attempts":{"forever":true}}}"#, port);
}
