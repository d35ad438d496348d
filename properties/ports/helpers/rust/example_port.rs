//! A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code.
mod backoff_port;
use backoff_port::{answer, serve, text, Instance, Json};

fn port(params: &Json) -> Result<Instance, String> {
    let (base, max): (u64, u64) = (params.number("base_ms"), params.number("max_ms"));
    let limit = match params.text("max_attempts") { "forever" => u64::MAX, limit => limit.parse().unwrap() };
    let mut attempts = 0;
    Ok(Box::new(move |step| {
        if step.text("op") == "reset" {
            attempts = 0;
            return answer([("status", text("ok"))]);
        }
        if attempts >= limit {
            return answer([("status", text("exhausted"))]);
        }
        let window = (0..attempts).take(32).fold(base, |window, _| window * 2).min(max);
        attempts += 1;
        answer([("status", text("retry")), ("delay_ms", text(step.number::<u64>("draw") % (window + 1)))])
    }))
}

fn main() {
    serve(r#"{"port":{"name":"example","version":"1","language":"Rust"},"systems":["aws_backoff_algorithm"],
              "features":["instances"]}"#, port);
}
