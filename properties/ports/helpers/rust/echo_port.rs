//! What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own.
mod backoff_port;
use backoff_port::{answer, serve, text, Instance, Json};

fn port(params: &Json) -> Result<Instance, String> {
    if params.get("reject").is_some() {
        return Err(params.text("reject").to_string());
    }
    let (params, mut calls) = (params.clone(), 0);
    Ok(Box::new(move |step| {
        calls += 1;
        match step.text("op") {
            "integer" => answer([("status", text("ok")), ("value", text(step.number::<i128>("value")))]),
            "real" => answer([("status", text("ok")), ("value", text(step.number::<f64>("value")))]),
            "truth" => answer([("status", text("ok")), ("value", Json::Bool(step.get("value") == Some(&Json::Bool(true))))]),
            "fail" => panic!("{}", step.text("value")),
            _ => answer([("status", text("ok")), ("calls", text(calls)), ("step", step.clone()), ("params", params.clone())]),
        }
    }))
}

fn main() {
    serve(r#"{"port":{"name":"echo","version":"1","language":"Rust"},"systems":["echo","other"],
              "features":["instances"],"ranges":{"value":["0","18446744073709551615"]}}"#, port);
}
