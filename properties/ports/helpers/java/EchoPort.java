// What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own.
import java.math.BigInteger;
import java.util.*;

public final class EchoPort {
    static BackoffPort.Instance port(Map<String, Object> params, List<Map<String, Object>> steps) {
        if (params.containsKey("reject")) throw new BackoffPort.Rejected((String) params.get("reject"));
        if (params.containsKey("nothing")) return null;
        int[] calls = {0};
        return step -> {
            calls[0]++;
            String kind = (String) step.get("op");
            return switch (kind) {
                case "integer" -> Map.of("status", "ok", "value", new BigInteger((String) step.get("value")));
                case "real" -> Map.of("status", "ok", "value", step.get("value").equals("inf") ? Double.POSITIVE_INFINITY : step.get("value").equals("-nan") ? Double.NaN : Double.parseDouble((String) step.get("value")));
                case "truth" -> Map.of("status", "ok", "value", Boolean.TRUE.equals(step.get("value")));
                case "fail" -> throw new ArithmeticException((String) step.get("value"));
                default -> Map.of("status", "ok", "calls", calls[0], "of", steps.size(), "step", step, "params", params);
            };
        };
    }

    public static void main(String[] args) throws Exception {
        BackoffPort.serve("""
            {"port":{"name":"echo","version":"1","language":"Java"},"systems":["echo","other"],
             "features":["instances"],"ranges":{"value":["0","18446744073709551615"]}}""", EchoPort::port);
    }
}
