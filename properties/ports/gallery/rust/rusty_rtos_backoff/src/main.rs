//! rusty_rtos_backoff's Backoff as a port: it names the document's library as what it is made from, and is given the draw. Its
//! context has no reset; a reset is a new one, as the document's own initialisation. It has the documented fields as its state.
mod backoff_port;
use backoff_port::{answer, serve, text, Instance, Json};
use rusty_rtos_backoff::{prelude::Error, Backoff, RETRY_FOREVER};

fn port(params: &Json) -> Result<Instance, String> {
    let (base, max) = (params.number("base_ms"), params.number("max_ms"));
    let attempts = if params.text("max_attempts") == "forever" { RETRY_FOREVER } else { params.number("max_attempts") };
    let mut context = Backoff::new(base, max, attempts);
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" {
            context = Backoff::new(base, max, attempts);
            return answer([("status", text("ok"))]);
        }
        match context.next_backoff(step.number("draw")) {
            Ok(delay) => answer([("status", text("retry")), ("delay_ms", text(delay))]),
            Err(Error::Timeout) => answer([("status", text("exhausted"))]),
            Err(error) => panic!("{error:?}"),
        }
    }))
}

fn main() {
    serve(r#"{"protocol":1,"port":{"name":"rusty_rtos_backoff Backoff","version":"0.2.0","language":"Rust"},
              "systems":["aws_backoff_algorithm"],"max_batch":256,"features":["instances"],
              "ranges":{"base_ms":["0","65535"],"max_ms":["0","65535"],"max_attempts":{"range":["0","4294967294"],"forever":true}}}"#, port);
}
