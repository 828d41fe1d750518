import GatewayCore
import Glibc
import JSONBytes

/// Writes the lines of endpoints to standard error, as a server does: `info order placed  order=7`.
struct ShownLog: RequestLog {
    let level: LogLevel

    func writes(_ level: LogLevel) -> Bool { level >= self.level }

    func write(_ line: RequestLogLine) {
        let facts = line.facts.map { " \($0.name)=\($0.value)" }.joined()
        let text = Array("\(line.level.rawValue) \(line.message) \(facts)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, text, text.count)
    }
}
