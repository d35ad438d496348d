//! tokio-retry's ExponentialBackoff as a port: the iterator, without jitter. A reset is an iterator made anew.
mod backoff_port;
use backoff_port::{answer, serve, text, Instance, Json};
use std::time::Duration;
use tokio_retry::strategy::ExponentialBackoff;

fn port(params: &Json) -> Result<Instance, String> {
    let (base, factor, max): (u64, u64, u64) = (params.number("base"), params.number("factor"), params.number("max_delay"));
    let fresh = move || ExponentialBackoff::from_millis(base).factor(factor).max_delay(Duration::from_millis(max));
    let mut delays = fresh();
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" {
            delays = fresh();
            return answer([("status", text("ok"))]);
        }
        let delay = delays.next().unwrap();
        answer([("status", text("retry")), ("delay_ms", text(delay.as_millis()))])
    }))
}

fn main() {
    serve(r#"{"protocol":1,"port":{"name":"tokio-retry ExponentialBackoff","version":"0.3.2","language":"Rust"},
              "systems":["tokio_retry_exponential"],"max_batch":256,"features":["instances"]}"#, port);
}
