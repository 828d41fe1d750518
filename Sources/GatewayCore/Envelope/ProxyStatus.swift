import Networking

/// The `Proxy-Status` of an answer (RFC 9209): one member for each failed part, all with the gateway's name.
///
/// The RFC defines one member for each hop; here one hop reports several calls. Only registered tokens are
/// used.
enum ProxyStatus {
    /// Returns the value, or `nil` if no part failed.
    static func value(_ results: PartResults, from gateway: GatewayName) -> String? {
        var text = ""
        for index in results.parts.indices {
            var name = results.parts[index].name
            var ended = results.parts[index].failure
            if ended == nil, let item = results.parts[index].outcome?.failedItems?.first {
                // The first element stands for all: a field has no room for a thousand.
                ended = item.failure
                name += "[\(item.index)]"
            }
            guard let failure = ended else { continue }
            if !text.isEmpty { text += ", " }
            text += gateway.item
            if let token = token(failure) {
                text += "; error=\(token)"
            } else if let status = failure.receivedStatus {
                text += "; received-status=\(status)"
            }
            if results.hasNames { text += "; details=\"\(quoted(name))\"" }
        }
        return text.isEmpty ? nil : text
    }

    private static func token(_ failure: PartFailure) -> String? {
        switch failure.reason {
        case .concurrencyLimit: FailureReason.connectionLimitReached.token
        case .circuitOpen: FailureReason.destinationUnavailable.token
        case .deadlineExceeded: FailureReason.responseTimeout.token
        case .upstreamStatus, .decodeError, .missingData, .unexpectedStatus, .memoryLimit,
            .dependencyFailed, .responseContract:
            nil
        default: failure.reason.token
        }
    }

    /// Escapes a name for a Structured Fields string (RFC 8941 3.3.3). The string is ASCII, so other bytes
    /// are percent-encoded.
    private static func quoted(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text += "\\\(Character(Unicode.Scalar(byte)))"
            case UInt8(ascii: "%"), 0..<0x20, 0x7f...:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            default:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }
}
