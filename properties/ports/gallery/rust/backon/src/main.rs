//! backon's ExponentialBackoff as a port: the iterator that ExponentialBuilder builds, in whole nanoseconds. It draws by itself. A
//! reset is an iterator built anew.
mod backoff_port;
use backoff_port::{answer, serve, text, Instance, Json};
use backon::{BackoffBuilder, ExponentialBuilder};
use std::time::Duration;

fn port(params: &Json) -> Result<Instance, String> {
    let mut builder = ExponentialBuilder::new()
        .with_min_delay(Duration::from_millis(params.number("min_delay")))
        .with_max_delay(Duration::from_millis(params.number("max_delay")))
        .with_factor(params.text("factor").parse().unwrap())
        .with_max_times(params.number("max_times"));
    if params.text("jitter") == "1" {
        builder = builder.with_jitter();
    }
    let mut backoff = builder.build();
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" {
            backoff = builder.build();
            return answer([("status", text("ok"))]);
        }
        match backoff.next() {
            Some(delay) => answer([("status", text("retry")), ("delay_ms", text(delay.as_nanos() as f64 / 1e6))]),
            None => answer([("status", text("exhausted"))]),
        }
    }))
}

fn main() {
    serve(r#"{"protocol":1,"port":{"name":"backon ExponentialBuilder","version":"1.6.0","language":"Rust"},
              "systems":["backon_exponential"],"draws":"opaque","max_batch":256,"features":["instances"]}"#, port);
}
