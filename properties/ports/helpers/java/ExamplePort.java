// A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code.
import java.math.BigInteger;
import java.util.Map;

public final class ExamplePort {
    static BackoffPort.Instance port(Map<String, Object> params) {
        BigInteger base = new BigInteger((String) params.get("base_ms")), max = new BigInteger((String) params.get("max_ms"));
        String limit = (String) params.get("max_attempts");
        int[] attempts = {0};
        return step -> {
            if (step.get("op").equals("reset")) {
                attempts[0] = 0;
                return Map.of("status", "ok");
            }
            if (!limit.equals("forever") && attempts[0] >= Long.parseLong(limit)) return Map.of("status", "exhausted");
            BigInteger window = base.shiftLeft(attempts[0]++).min(max);
            return Map.of("status", "retry", "delay_ms", new BigInteger((String) step.get("draw")).mod(window.add(BigInteger.ONE)));
        };
    }

    public static void main(String[] args) throws Exception {
        BackoffPort.serve("""
            {"port":{"name":"example","version":"1","language":"Java"},"systems":["aws_backoff_algorithm"],
             "features":["instances"]}""", (params, steps) -> port(params));
    }
}
