import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes

extension AdminExchange {
    /// Answers the failed and slow requests that the loops have kept.
    func answerRequests(_ gateway: GatewayServer) {
        let answer = LoopBound(self, loop: loop)
        LoopCollection.collect(of: gateway, on: loop, \.records) { records in
            answer.value.answer(.ok, KeptRecords.literal(records))
        }
    }

    /// Answers one of them, by its request or trace id.
    func answerRequest(_ gateway: GatewayServer) {
        let id = request.head.target.path.dropFirst("/requests/".utf8.count)
        let answer = LoopBound(self, loop: loop)
        LoopCollection.collect(of: gateway, on: loop, \.records) { records in
            let all = records.compactMap(\.self).flatMap { $0.failed + $0.slow }
            let found = all.last { $0.requestID == id || $0.traceID.map { $0 == id } == true }
            guard let found, let line = found.literal else {
                return answer.value.fail(
                    .notFound(
                        "The gateway has kept no request with this id. It keeps the last "
                            + "\(KeptRecords.count) failed and \(KeptRecords.count) slow ones of each loop"))
            }
            answer.value.answer(.ok, line)
        }
    }
}

extension KeptRecords {
    /// The records of all loops, the oldest first.
    static func literal(_ records: [(failed: [Record], slow: [Record])?]) -> JSONLiteral {
        func list(_ records: [Record]) -> JSONLiteral {
            JSONLiteral(records.sorted { $0.time < $1.time }.compactMap(\.literal))
        }
        let known = records.compactMap(\.self)
        var members: [(String, JSONLiteral)] = [
            ("failed", list(known.flatMap(\.failed))), ("slow", list(known.flatMap(\.slow))),
        ]
        if known.count < records.count { members.append(("incomplete", true)) }
        return JSONLiteral(members: members)
    }
}

extension KeptRecords.Record {
    /// Its line, with `repeats` if there were some. Nil is a mistake in the line.
    var literal: JSONLiteral? {
        var line = line
        if repeats > 0, line.last == UInt8(ascii: "}") {
            line.removeLast()
            line += ",\"repeats\":\(repeats)}".utf8
        }
        return (try? JSONFragment(validating: line[...])).map { JSONLiteral($0) }
    }
}
