// Holds a port to a public document on retry back-off, in a test of JUnit, of TestNG or of its own:
//
//   @Test void backoff() { BackoffOracle.check("aws_backoff_algorithm", (params, steps) -> step -> …); }
//
// The port is that of BackoffPort, and runs in the test's JVM. Each process of the port that the program starts is a JVM that only
// hands on what is said, and a thread of this one that answers. runners_test.py checks this file.
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.*;
import java.util.stream.*;

public final class BackoffOracle {
    private static final String NAMED = "BACKOFF_ORACLE", IN_JAR = "/backoffport/program/%s/backoff-oracle";
    // Of the reply to start; properties/protocol/schema_test.py holds them to the schema.
    private static final List<String> FIELDS = List.of("port", "systems", "ranges", "draws", "draw_kind", "rand_max", "mapping", "features", "max_batch", "max_line");
    private static final Pattern REFUSED = Pattern.compile("\\(request: start\\)|the port's mapping");  // what a port says of itself, before anything is judged
    private static final Set<Integer> AGAINST_THE_PORT = Set.of(1, 3, 5);
    private static final Pattern REPLAYED = Pattern.compile("(?m)^( *replay +).+? (check|replay) (.*) -- .*$");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\\\\.|[^\\s'\\\\])+"), QUOTING = Pattern.compile("'([^']*)'|\\\\(.)");
    private static String extracted;

    private BackoffOracle() {}

    /**
     * Returns the verdict of a port that conforms to the document, or to the file of a policy. Options are further words of
     * `backoff-oracle check`; a Map among them is what the port says of itself, such as Map.of("draw_kind", "unit").
     *
     * @throws AssertionError with the verdict, where the port does not conform, or breaks, or nothing can be concluded
     * @throws IllegalStateException where the program cannot judge
     */
    public static String check(String system, BackoffPort.Port port, Object... options) { return judged("check", system, port, options); }

    /** Judges one history again, by the token that a verdict names. */
    public static String replay(String token, BackoffPort.Port port, Object... options) { return judged("replay", token, port, options); }

    private static String judged(String verb, String what, BackoffPort.Port port, Object[] options) {
        String test = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
            .filter(each -> each != BackoffOracle.class).findFirst()).map(Class::getSimpleName).orElse("port");
        Map<String, Object> stated = new LinkedHashMap<>(), about = new LinkedHashMap<>(Map.of("protocol", 1, "max_batch", 256,
            "port", Map.of("name", test, "language", "Java"), "features", List.of("instances")));
        List<String> words = new ArrayList<>(List.of(program(), verb, what));
        for (Object option : options) {
            if (option instanceof Map<?, ?> fields) fields.forEach((name, value) -> {
                if (!FIELDS.contains(name)) throw new IllegalArgumentException(name + ": expected one of " + String.join(", ", FIELDS));
                stated.put((String) name, value);
            });
            else words.add(String.valueOf(option));
        }
        about.putAll(stated);
        Path folder = null;
        Queue<Thread> answering = new ConcurrentLinkedQueue<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            folder = Files.createTempDirectory("backoff-oracle-");
            Path socket = folder.resolve("port");
            listener.bind(UnixDomainSocketAddress.of(socket));
            begin(answering, () -> {
                while (true) {
                    SocketChannel relay = listener.accept();
                    begin(answering, () -> answer(relay, about, port));
                }
            });
            words.addAll(List.of("--", Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", Path.of(BackoffOracle.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString(),
                BackoffOracle.class.getName(), socket.toString()));
            Process judge = started(words);
            String said = new String(judge.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = judge.waitFor();
            if (code == 0) {
                said.lines().filter(line -> line.startsWith("verdict: ")).forEach(System.out::println);
                return said;
            }
            String verdict = said.lines().filter(line -> line.startsWith("verdict: ")).findFirst().orElse("exit " + code);
            if (AGAINST_THE_PORT.contains(code) && !(said.startsWith("backoff-oracle: error: ") && REFUSED.matcher(said).find())) throw new AssertionError(verdict + "\n" + withCalls(said, stated));
            throw new IllegalStateException(said.strip());
        } catch (IOException | URISyntaxException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        } finally {
            answering.forEach(Thread::interrupt);
            if (folder != null) for (File each : new File[] {folder.resolve("port").toFile(), folder.toFile()}) each.delete();
        }
    }

    private static Process started(List<String> words) {
        try {
            return new ProcessBuilder(words).redirectErrorStream(true).start();
        } catch (IOException failed) {
            throw new IllegalStateException(failed.getMessage() + ": install backoff-oracle on the PATH, or set " + NAMED + " to the program", failed);
        }
    }

    /** The program: that of the property or variable BACKOFF_ORACLE, that of this jar, or that of the PATH. */
    private static synchronized String program() {
        String named = System.getProperty(NAMED, System.getenv().getOrDefault(NAMED, ""));
        if (!named.isEmpty()) return named;
        if (extracted != null) return extracted;
        String machine = System.getProperty("os.name") + "-" + System.getProperty("os.arch").replace("amd64", "x86_64").replace("aarch64", "arm64");
        try (InputStream packed = BackoffOracle.class.getResourceAsStream(IN_JAR.formatted(machine.toLowerCase(Locale.ROOT)))) {
            if (packed == null) return "backoff-oracle";
            Path file = Files.createTempFile("backoff-oracle-", "");
            file.toFile().deleteOnExit();
            Files.copy(packed, file, StandardCopyOption.REPLACE_EXISTING);
            if (!file.toFile().setExecutable(true)) throw new IOException(file + ": cannot be made executable");
            return extracted = file.toString();
        } catch (IOException failed) {
            throw new IllegalStateException("the program of the jar cannot be used: " + failed.getMessage(), failed);
        }
    }

    private interface Work { void run() throws IOException; }

    private static void begin(Queue<Thread> all, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException ended) {
                // The program has ended, or killed its process of the port.
            }
        }, "backoff-oracle port");
        thread.setDaemon(true);
        all.add(thread);
        thread.start();
    }

    private static void answer(SocketChannel relay, Map<String, Object> about, BackoffPort.Port port) throws IOException {
        try (relay; BufferedReader in = new BufferedReader(Channels.newReader(relay, StandardCharsets.UTF_8))) {
            for (String line, reply; (line = in.readLine()) != null && (reply = BackoffPort.reply(line, about, port)) != null; )
                write(relay, (reply + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void write(SocketChannel to, byte[] bytes) throws IOException {
        for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) to.write(left);
    }

    /** The lines that replay a history, as calls: the port is no command. */
    private static String withCalls(String verdict, Map<String, Object> stated) {
        String called = REPLAYED.matcher(verdict).replaceAll(line -> {
            Stream<String> words = WORD.matcher(line.group(3)).results().map(word -> source(QUOTING.matcher(word.group()).replaceAll("$1$2")));
            List<String> all = words.collect(Collectors.toCollection(ArrayList::new));
            all.add(1, "port");
            if (!stated.isEmpty()) all.add(source(stated));
            return Matcher.quoteReplacement(line.group(1) + "BackoffOracle." + line.group(2) + "(" + String.join(", ", all) + ")");
        });
        return called.equals(verdict) ? verdict : called + "In a call that replays a history, port is the port that the test gave to check.\n";
    }

    private static String source(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().flatMap(each -> Stream.of(each.getKey(), each.getValue())).map(BackoffOracle::source).collect(Collectors.joining(", ", "Map.of(", ")"));
        if (value instanceof List<?> list) return list.stream().map(BackoffOracle::source).collect(Collectors.joining(", ", "List.of(", ")"));
        return value instanceof Boolean || value instanceof Integer ? value.toString() : "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /** What the program starts as the port: hands on what is said, until one side ends. */
    public static void main(String[] socket) throws IOException {
        SocketChannel tests = SocketChannel.open(UnixDomainSocketAddress.of(socket[0]));
        Thread requests = new Thread(() -> {
            byte[] bytes = new byte[1 << 16];
            try {
                for (int size; (size = System.in.read(bytes)) >= 0; ) write(tests, Arrays.copyOf(bytes, size));
                tests.shutdownOutput();
            } catch (IOException ended) {
                // The tests have ended.
            }
        });
        requests.setDaemon(true);
        requests.start();
        OutputStream replies = new FileOutputStream(FileDescriptor.out);
        ByteBuffer some = ByteBuffer.allocate(1 << 16);
        while (tests.read(some.clear()) >= 0) replies.write(some.array(), 0, some.position());
    }
}
