import ASCIIText
import Resilience

/// The script that counts all limits of a request in one step of the server.
///
/// It does what `Resilience.GCRA` does. A key has two numbers: the time of its last change in microseconds,
/// and the backlog at that time in nanoseconds, until the whole burst is back. Numbers in Lua are doubles,
/// which are exact up to 2^53: enough for microseconds since 1970 and for a backlog of 100 days, but not for
/// nanoseconds since 1970.
///
/// The server replicates the changes, not the script, so it may read the clock (the default since Redis 5).
enum LimitScript {
    /// KEYS: the key of each limit. ARGV: step and capacity of each limit, in nanoseconds.
    ///
    /// Returns 1 if the request is allowed, else 0, and then the backlog of each limit after the request. A
    /// refused request changes nothing, except for a key whose time is in the future: the clock was set back,
    /// and would have to catch up first.
    ///
    /// A backlog above the capacity is of a policy that was larger, or that another gateway still has. The
    /// request sees it as a full one. It is kept as it is, so that nobody gets requests back.
    static let source = """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local reply, backlogs = {1}, {}
        local function keep(key, backlog)
            redis.call('SET', key, string.format('%.0f %.0f', now, backlog),
                'PX', math.ceil(backlog / 1000000))
        end
        for i, key in ipairs(KEYS) do
            local step, capacity = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
            local backlog, seen = 0, 0
            local value = redis.call('GET', key)
            if value then
                local at, old = string.match(value, '^(%d+) (%d+)$')
                if at then
                    local elapsed = (now - tonumber(at)) * 1000
                    backlog = math.min(tonumber(old), 9e15)
                    if elapsed < 0 then
                        elapsed = 0
                        if backlog > 0 then keep(key, backlog) end
                    end
                    seen = math.max(math.min(backlog, capacity) - elapsed, 0)
                    backlog = math.max(backlog - elapsed, 0)
                end
            end
            if seen > capacity - step then reply[1] = 0 end
            reply[i + 1], backlogs[i] = seen, backlog
        end
        if reply[1] == 1 then
            for i, key in ipairs(KEYS) do
                local backlog = backlogs[i] + tonumber(ARGV[2 * i - 1])
                keep(key, backlog)
                reply[i + 1] = math.min(backlog, tonumber(ARGV[2 * i]))
            end
        end
        return reply
        """

    static let load = StoreWords("SCRIPT", "LOAD", source)

    /// Returns the name of the script in a reply to `load`: 40 hexadecimal digits of SHA-1.
    static func name(in reply: StoreReply) -> [UInt8]? {
        guard case .bytes(let name) = reply, name.count == 40 else { return nil }
        return name.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } ? name : nil
    }

    /// Returns the command that runs the script.
    ///
    /// - Parameter name: the script's name; nil to send the script itself.
    static func run(_ name: [UInt8]?, for limits: [StoreLimit], prefix: String) -> StoreWords {
        let start = (name?.count ?? source.utf8.count) + 16
        var words = StoreWords(count: 3 + 3 * limits.count, byteCount: start + 128 * limits.count)
        if let name {
            words.append("EVALSHA")
            words.append(name)
        } else {
            words.append("EVAL")
            words.append(source)
        }
        words.append { append(Int64(limits.count), to: &$0) }
        for limit in limits { words.append { limit.appendKey(prefix, to: &$0) } }
        for limit in limits {
            words.append { append(limit.policy.step, to: &$0) }
            words.append { append(limit.policy.capacity, to: &$0) }
        }
        return words
    }

    /// Appends a number that is not negative.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        ByteWriter.append(atMost: 20, to: &bytes) { $0.append(decimal: Int(number)) }
    }

    /// Reads the reply of the script; nil if it is not one.
    static func decisions(_ reply: StoreReply, for limits: [StoreLimit]) -> [LimitDecision]? {
        guard case .array(let numbers) = reply, numbers.count == limits.count + 1,
            case .integer(let allowed) = numbers[0], allowed == 0 || allowed == 1
        else { return nil }
        var decisions: [LimitDecision] = []
        decisions.reserveCapacity(limits.count)
        for (limit, number) in zip(limits, numbers.dropFirst()) {
            let policy = limit.policy
            guard case .integer(let backlog) = number, backlog >= 0, backlog <= policy.capacity else {
                return nil
            }
            // A request that another limit refused was not counted, but this one would have allowed it.
            let isAllowed = allowed == 1 || backlog <= policy.capacity - policy.step
            decisions.append(LimitDecision(isAllowed: isAllowed, backlog: backlog, policy))
        }
        guard allowed == 1 || decisions.contains(where: { !$0.isAllowed }) else { return nil }
        return decisions
    }

    /// Whether the server does not know the script, for instance after `SCRIPT FLUSH`.
    static func isUnknown(_ reply: StoreReply) -> Bool {
        if case .error(let text) = reply { text.hasPrefix("NOSCRIPT") } else { false }
    }
}
