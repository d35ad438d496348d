// One port of full jitter for each way to map a draw to a delay, with a fault if told so. mappings_test.py lists the ways.
// Usage: Mappings ARITHMETIC END SIGN BITS TICKS ROUNDING [FAULT NUMBER]
import java.math.BigInteger;
import java.util.Map;

public final class Mappings {
    private final String arithmetic, end, sign, rounding, fault;
    private final boolean isUnit;
    private final int bits, digits;
    private final long ticks, at, largest;

    private Mappings(String[] words) {
        arithmetic = words[0];
        end = words[1];
        sign = words[2];
        isUnit = words[3].equals("unit");
        bits = isUnit ? 32 : Integer.parseInt(words[3]);
        ticks = Long.parseLong(words[4]);
        digits = words[4].length() - 1;
        rounding = words[5];
        fault = words.length > 7 ? words[6] : "none";
        at = words.length > 7 ? Long.parseLong(words[7]) : 0;
        largest = (1L << bits) - 1;
    }

    private long scaled(long r, long n, long size) {
        BigInteger product = BigInteger.valueOf(r).multiply(BigInteger.valueOf(n)), of = BigInteger.valueOf(size);
        if (rounding.equals("rounded")) product = product.shiftLeft(1).add(of);
        return product.divide(rounding.equals("rounded") ? of.shiftLeft(1) : of).longValueExact();
    }

    private double rounded(double x) {
        return rounding.equals("none") ? x : Math.floor(rounding.equals("cut") ? x : x + 0.5);
    }

    // From a draw to one of n numbers, or to n itself too if the end is closed. All of them are below 2^53.
    private double mapped(long r, long n) {
        long less = end.equals("closed") ? 1 : 0, size = largest + 1 - less;
        return switch (arithmetic) {
            case "modulo" -> r % n;
            case "high" -> (r >> (bits / 4)) % n;
            case "divided" -> r / (largest / n + 1);
            case "integers" -> scaled(r, n, size);
            case "doubles" -> rounded((double) r / size * n);
            case "floats" -> rounded((float) r / size * n);
            default -> {
                int kept = Integer.parseInt(arithmetic.substring("top".length()));
                yield scaled(r >> (bits - kept), n, (1L << kept) - less);
            }
        };
    }

    private Object delay(Object draw, long window) {
        long r = Long.parseLong((String) (isUnit ? ((Map<?, ?>) draw).get("num") : draw));
        if (fault.equals("first") && r == 0) r = at;
        if (fault.equals("last") && r == largest) r -= at;
        if (fault.equals("halved") && window > at) window /= 2;
        if (fault.equals("longer") && window > at) window += 1;
        if (window == 0) return 0;
        long most = window * ticks, top = end.equals("exclusive") && rounding.equals("cut") ? most - 1 : most;
        double x = Math.min(mapped(r, most + (end.equals("inclusive") ? 1 : 0)), most);
        if (sign.equals("mirrored")) x = Math.max(0, top - x);
        if (fault.equals("cell") && Math.floor(x / ticks) == at) x -= ticks;
        return rounding.equals("none") ? x : (long) x + "e-" + digits;
    }

    private BackoffPort.Instance instance(Map<String, Object> params) {
        long cap = Long.parseLong((String) params.get("max_ms"));
        long[] window = {Math.min(Long.parseLong((String) params.get("base_ms")), cap)};
        return step -> {
            Object delay = delay(step.get("draw"), window[0]);
            window[0] = Math.min(2 * window[0], cap);
            return Map.of("status", "retry", "delay_ms", delay);
        };
    }

    public static void main(String[] args) throws Exception {
        Mappings made = new Mappings(args);
        String kind = made.isUnit ? "unit" : made.bits == 32 ? "u32" : "rand";
        BackoffPort.serve("""
            {"protocol":1,"port":{"name":"mappings","version":"1","language":"Java"},"max_batch":256,
             "systems":["aws_backoff_algorithm","mirrored"],"ranges":{"max_attempts":{"forever":true},"op":["next"]},
             "draw_kind":"%s","rand_max":%d}""".formatted(kind, made.largest), (params, steps) -> made.instance(params));
    }
}
