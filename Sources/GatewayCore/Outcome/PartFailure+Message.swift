import Networking

extension PartFailure {
    /// The message of an answer that this failure decides: "recent did not answer in time".
    func message(for name: String) -> String {
        if let error = answer.gatewayError { return error.message }
        let isNamed = !name.isEmpty
        if reason == .dependencyFailed, isNamed { return "\(name) was not requested: \(message)" }
        let subject = isNamed ? name : "The upstream"
        if answer.isBeforeCall { return "\(subject) was not requested: \(message)" }
        switch answer.status {
        case 400: return "\(subject) cannot be requested: \(message)"
        case 401: return "\(subject) requires valid credentials"
        case 403: return "\(subject) does not permit these credentials"
        case 404: return isNamed ? "\(name) was not found" : "The upstream's resource was not found"
        case 409: return "The request conflicts with the state of \(isNamed ? name : "the upstream")"
        case 410: return isNamed ? "\(name) no longer exists" : "The upstream's resource no longer exists"
        case 412: return "A precondition of \(isNamed ? name : "the upstream") was not met"
        case 422: return "\(subject) could not process the request"
        case 503: return "\(subject) is not available"
        case 504: return "\(subject) did not answer in time"
        case 508: return "The request to \(isNamed ? name : "the upstream") was forwarded in a loop"
        default: return badGatewayMessage(isNamed ? name : "the upstream")
        }
    }

    private func badGatewayMessage(_ subject: String) -> String {
        switch kind {
        case .requestErr: "The request to \(subject) was refused"
        case .pathErr: "The response from \(subject) was not usable"
        case .networkFail: networkMessage(subject)
        case .serverErr, .success, .noContent: "The request to \(subject) failed"
        }
    }

    private func networkMessage(_ subject: String) -> String {
        switch reason {
        case .dnsError, .connectionRefused: "No connection to \(subject)"
        case .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived: "No secure connection to \(subject)"
        case .connectionTerminated: "No response from \(subject)"
        case .responseIncomplete: "The response from \(subject) was incomplete"
        case .protocolError, .responseTransferCoding: "The response from \(subject) was not valid HTTP"
        case .responseHeadSize, .responseBodySize: "The response from \(subject) was too large"
        case .responseContentCoding: "The response from \(subject) could not be decoded"
        default: "The request to \(subject) failed"
        }
    }
}
