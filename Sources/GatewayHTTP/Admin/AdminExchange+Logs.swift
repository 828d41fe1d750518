import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import JSONBytes
import Rx

extension AdminExchange {
    /// Changes what is logged, for some time.
    func changeLogs(_ gateway: GatewayServer) throws(GatewayError) {
        let override = try LogOverride(request.body)
        let number = gateway.logs.replace(by: override)
        gateway.followLogs()
        _ = loop.setTimer(after: .seconds(override.seconds), target: OverrideEnd(number, of: gateway))
        let settings = gateway.logs.settings
        answer(
            .ok,
            [
                "level": JSONLiteral(settings.level.rawValue),
                "access": JSONLiteral(settings.access.description),
                "seconds": JSONLiteral(override.seconds),
            ])
    }
}

/// Ends an override when its time is over.
private final class OverrideEnd: TimerTarget {
    private let number: Int
    private weak let gateway: GatewayServer?

    init(_ number: Int, of gateway: GatewayServer) {
        self.number = number
        self.gateway = gateway
    }

    func timerFired(_ token: TimerToken) {
        gateway?.logs.end(number)
        gateway?.followLogs()
    }
}

extension GatewayServer {
    /// Lets each loop log what the settings of the logs say.
    func followLogs() {
        for worker in workers { worker.loop.execute { worker.value.followLogs() } }
    }
}

extension LogOverride {
    /// Reads `{"level":"debug","access":"on","seconds":600}`. One of the first two is required.
    init(_ body: ArraySlice<UInt8>) throws(GatewayError) {
        guard let object = try? JSONFragment(validating: body), object.kind == .object else {
            throw .invalidRequest("The body must be an object such as {\"level\":\"debug\",\"seconds\":600}")
        }
        self.init(level: nil, access: nil, seconds: 600)
        for (name, value) in object.members {
            switch name {
            case "level":
                let words = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                guard let word = value.stringValue, let level = LogLevel(rawValue: word) else {
                    throw .invalidRequest("level must be one of \(words)")
                }
                self.level = level
            case "access":
                guard let word = value.stringValue, let access = AccessLogging(word) else {
                    throw .invalidRequest("access must be \(AccessLogging.rule)")
                }
                self.access = access
            case "seconds":
                guard let seconds = value.intValue, Self.seconds.contains(seconds) else {
                    throw .invalidRequest(
                        "seconds must be a whole number from \(Self.seconds.lowerBound) to "
                            + "\(Self.seconds.upperBound)")
                }
                self.seconds = seconds
            default:
                throw .invalidRequest(
                    "The body has no member \(JSONFragment(string: name)), only level, access and seconds")
            }
        }
        guard level != nil || access != nil else { throw .invalidRequest("The body needs level or access") }
    }
}
