// Port protocol 1 for a port in Java. You write one function, which makes an instance; see ExamplePort.java. It takes the parameters
// and the steps that it will answer, and returns a function that answers one step. Numbers arrive as text, exactly as the oracle sent them;
// make a Long, BigInteger or BigDecimal of them. Numbers in your answers are not rounded, and NaN is an answer. An exception is an
// answer too: do not catch it. Throw Rejected to refuse the parameters. helpers_test.py checks this file.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
public final class BackoffPort {
    public interface Instance { Map<String, ?> answer(Map<String, Object> step) throws Exception; }
    public interface Port { Instance made(Map<String, Object> params, List<Map<String, Object>> steps) throws Exception; }
    public static final class Rejected extends RuntimeException { public Rejected(String why) { super(why); } }
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(\\p{XDigit}{4})|(.))");
    private static final Pattern TOKEN = Pattern.compile(  // punctuation, a string, or a number or word
        "\\s*(?:([{}\\[\\]:,])|\"((?:[^\"\\\\]|\\\\.)*+)\"|(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null))\\s*");
    private static boolean mark(Matcher next, String wanted) { return next.lookingAt() && wanted.equals(next.group(1)) && next.region(next.end(), next.regionEnd()) != null; }
    private static Object read(Matcher next) {
        if (!next.lookingAt()) throw new IllegalArgumentException("no JSON");
        String mark = next.group(1), text = next.group(2), word = next.group(3);
        next.region(next.end(), next.regionEnd());
        if (text != null) return ESCAPE.matcher(text).replaceAll(e -> Matcher.quoteReplacement("" + (e.group(1) != null
            ? (char) Integer.parseInt(e.group(1), 16) : "\b\f\n\r\t\"\\/".charAt("bfnrt\"\\/".indexOf(e.group(2))))));
        if (word != null) return word.equals("null") ? null : word.matches("true|false") ? (Object) word.equals("true") : word;
        Map<String, Object> map = new LinkedHashMap<>();
        List<Object> list = new ArrayList<>();
        String end = mark.equals("{") ? "}" : mark.equals("[") ? "]" : "value";
        for (boolean first = true; !mark(next, end); first = false) {
            Object value = first || mark(next, ",") ? read(next) : Objects.requireNonNull(null, "no " + end);
            if (end.equals("]")) list.add(value);
            else map.put((String) value, mark(next, ":") ? read(next) : Objects.requireNonNull(null, "no :"));
        }
        return end.equals("}") ? map : list;
    }
    private static String json(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Integer) return "" + value;
        if (value instanceof Map<?, ?> map) return "{" + map.entrySet().stream().map(e -> json(e.getKey()) + ":" + json(e.getValue())).collect(Collectors.joining(",")) + "}";
        if (value instanceof List<?> list) return list.stream().map(BackoffPort::json).toList().toString();
        return "\"" + value.toString().chars().mapToObj(c -> c == '"' || c == '\\' || c < ' ' ? String.format("\\u%04x", c) : "" + (char) c).collect(Collectors.joining()) + "\"";
    }
    private static Map<String, Object> result(Port port, Map<String, Object> params, List<Map<String, Object>> steps) {
        HashMap<Object, Instance> instances = new HashMap<>(); ArrayList<Object> answers = new ArrayList<>();
        for (Map<String, Object> step : steps) try {
            Object on = step.getOrDefault("on", "0");
            if (!instances.containsKey(on)) instances.put(on, Objects.requireNonNull(port.made(params, steps.stream().filter(s -> s.getOrDefault("on", "0").equals(on)).toList()), "the port returned null, expected a function"));
            answers.add(instances.get(on).answer(step));
        } catch (Exception | Error error) {
            return error instanceof Rejected ? Map.of("rejected", error.getMessage()) : Map.of("steps", Stream.concat(answers.stream(), Stream.of(Map.of("status", "error", "why", error.toString()))).toList());
        }
        return Map.of("steps", answers);
    }
    @SuppressWarnings("unchecked") static String reply(String line, Map<String, Object> about, Port port) {  // null: to a stop
        Matcher next = TOKEN.matcher(line);
        var request = (Map<String, Object>) read(next);
        if (next.regionStart() < line.length()) throw new IllegalArgumentException("more than JSON");
        return switch ((String) request.get("cmd")) {
            case "stop" -> null;
            case "start" -> json(about.get("systems") instanceof List<?> known && !known.contains(request.get("system"))
                ? Map.of("error", request.get("system") + " is not known here") : about);
            case "run" -> "{\"id\":" + new java.math.BigInteger((String) request.get("id")) + ",\"results\":" + ((List<Map<String, Object>>) request.get("cases")).stream().map(
                c -> json(result(port, (Map<String, Object>) Objects.requireNonNull(c.get("params")), (List<Map<String, Object>>) c.get("steps")))).toList() + "}";
            default -> "{\"error\":\"unknown cmd\"}";
        };
    }
    // Answers until it is told to stop; about is the reply to start, in JSON. A port that lists no systems takes any. What it prints
    // goes to standard error. What is no request ends the program, with exit 2.
    @SuppressWarnings("unchecked") public static void serve(String about, Port port) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        var known = (Map<String, Object>) read(TOKEN.matcher(about));
        known.putAll(Map.of("protocol", 1, "max_batch", known.getOrDefault("max_batch", 256)));
        System.setOut(System.err);
        for (String line, reply; (line = in.readLine()) != null; ) try {
            if ((reply = reply(line, known, port)) == null) return; else out.println(reply);
        } catch (RuntimeException error) {
            System.err.println("port: not understood: " + error + " in " + line.substring(0, Math.min(200, line.length())));
            System.exit(2);
        }
    }
}
