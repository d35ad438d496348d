//! Port protocol 1 for a port in Rust. You write one function, which makes an instance; see example_port.rs. It takes the parameters
//! and the steps that it will answer, and returns a function that answers one step. Return Err("why") to refuse the parameters. Numbers
//! arrive as text, exactly as the oracle sent them; parse them to u64, f64 or your own type. Numbers in your answers leave as text:
//! none is rounded, and NaN is an answer. A panic is an answer too: do not catch it. helpers_test.py checks this file.
use std::{collections::HashMap, io::BufRead, panic::catch_unwind, panic::AssertUnwindSafe, str::FromStr};
#[derive(Clone, Debug, PartialEq)]
pub enum Json { Null, Bool(bool), Text(String), List(Vec<Json>), Map(Vec<(String, Json)>) }
pub type Instance = Box<dyn FnMut(&Json) -> Json>;
pub fn answer<const N: usize>(fields: [(&str, Json); N]) -> Json { Json::Map(fields.map(|(name, value)| (name.to_string(), value)).into()) }
pub fn text(value: impl ToString) -> Json { Json::Text(value.to_string()) }
impl Json {
    pub fn get(&self, name: &str) -> Option<&Json> { if let Json::Map(map) = self { map.iter().find(|m| m.0 == name).map(|m| &m.1) } else { None } }
    pub fn text(&self, name: &str) -> &str { if let Some(Json::Text(text)) = self.get(name) { text } else { "" } }
    pub fn number<T: FromStr>(&self, name: &str) -> T where T::Err: std::fmt::Debug { self.text(name).parse().expect(name) }
    fn list(&self, name: &str) -> Option<&[Json]> { if let Json::List(list) = self.get(name)? { Some(list) } else { None } }
}
fn read(line: &mut &str) -> Option<Json> {
    *line = line.trim_start();
    let word; (word, *line) = line.split_at(line.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(line.len()));
    match word { "" => (), "null" => return Some(Json::Null), "true" | "false" => return Some(Json::Bool(word == "true")), _ => return word.parse::<f64>().ok().map(|_| text(word)) }
    if mark(line, '"') { return string(line); }
    let (is_list, mut list, mut map) = (mark(line, '['), vec![], vec![]);
    if !is_list && !mark(line, '{') { return None; }
    while !mark(line, if is_list { ']' } else { '}' }) {
        if !(list.is_empty() && map.is_empty() || mark(line, ',')) { return None; }
        match read(line)? { value if is_list => list.push(value), Json::Text(name) if mark(line, ':') => map.push((name, read(line)?)), _ => return None }
    }
    Some(if is_list { Json::List(list) } else { Json::Map(map) })
}
fn mark(line: &mut &str, wanted: char) -> bool { line.trim_start().strip_prefix(wanted).map(|rest| *line = rest).is_some() }
fn string(line: &mut &str) -> Option<Json> {  // in UTF-16, as JSON escapes are
    if let Some((plain, rest)) = line.split_once('"').filter(|(plain, _)| !plain.contains('\\')) { *line = rest; return Some(text(plain)); }
    let (mut units, mut chars) = (vec![], line.chars());
    loop {
        let c = match chars.next()? { '"' => { *line = chars.as_str(); return String::from_utf16(&units).ok().map(text); } '\\' => match chars.next()? {
            'u' => { units.push(u16::from_str_radix(chars.as_str().get(..4)?, 16).ok()?); chars.nth(3); continue; }
            c => "\u{8}\u{c}\n\r\t".chars().nth("bfnrt".find(c).unwrap_or(9)).unwrap_or(c) }, c => c };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
}
fn write(value: &Json) -> String {
    match value { Json::Null => "null".into(), Json::Bool(value) => value.to_string(),
        Json::List(list) => format!("[{}]", list.iter().map(write).collect::<Vec<_>>().join(",")),
        Json::Map(map) => format!("{{{}}}", map.iter().map(|(name, each)| write(&text(name)) + ":" + &write(each)).collect::<Vec<_>>().join(",")),
        Json::Text(text) => format!("\"{}\"", text.chars().fold(String::new(), |mut all, c| { if c == '"' || c == '\\' || c < ' ' { all += &format!("\\u{:04x}", c as u32) } else { all.push(c) } all })),
    }
}
fn result(case: &Json, port: &impl Fn(&Json) -> Result<Instance, String>) -> Option<Json> {
    let (params, mut instances, mut answers) = (case.get("params")?, HashMap::new(), vec![]);
    for step in case.list("steps")? {
        let on = if step.text("on") == "" { "0" } else { step.text("on") };
        match catch_unwind(AssertUnwindSafe(|| {
            if !instances.contains_key(on) { instances.insert(on, port(params)?); }
            Ok(instances.get_mut(on).unwrap()(step))
        })) { Ok(Ok(given)) => answers.push(given), Ok(Err(why)) => return Some(answer([("rejected", Json::Text(why))])), Err(why) => {
            let why = why.downcast_ref::<String>().map(|why| &why[..]).or(why.downcast_ref().copied()).unwrap_or("a panic");
            return Some(answer([("steps", Json::List([answers, vec![answer([("status", text("error")), ("why", text(why))])]].concat()))]));
        } }
    }
    Some(answer([("steps", Json::List(answers))]))
}
fn reply(mut line: &str, about: &str, port: &impl Fn(&Json) -> Result<Instance, String>) -> Option<String> {
    let (request, known) = (read(&mut line).filter(|_| line.trim() == "")?, read(&mut &about[..]).expect("about in JSON"));
    Some(match request.get("cmd").map(|_| request.text("cmd"))? {
        "stop" => String::new(),
        "start" if known.get("systems").is_none() || known.list("systems")?.contains(request.get("system")?) => [("protocol", 1), ("max_batch", 256)].iter()
            .filter(|each| known.get(each.0).is_none()).fold(about.replace('\n', " "), |about, (name, value)| about.replacen('{', &format!("{{\"{name}\":{value},"), 1)),
        "run" => format!("{{\"id\":{},\"results\":{}}}", request.text("id").parse::<u128>().ok()?,
            write(&Json::List(request.list("cases")?.iter().map(|case| result(case, port)).collect::<Option<_>>()?))),
        cmd => write(&answer([("error", text(if cmd == "start" { "this system is not known here" } else { "unknown cmd" }))])),
    })
}
/// Answers until it is told to stop; about is the reply to start, in JSON. A port that lists no systems takes any.
/// What is no request ends the program, with exit 2.
pub fn serve(about: &str, port: impl Fn(&Json) -> Result<Instance, String>) {
    for line in std::io::stdin().lock().lines().map(|line| line.expect("text")) {
        let Some(reply) = reply(&line, about, &port) else { eprintln!("port: not understood: {line:.200}"); std::process::exit(2) };
        if reply == "" { return } else { println!("{reply}") }  // which is flushed at each line
    }
}
