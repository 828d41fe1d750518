import Networking

extension PartFailure {
    /// What the answer as a whole says where this failure decides it: "recent did not answer in time".
    func message(for name: String) -> String {
        if let own = answer.own { return own.message }
        let subject = name.isEmpty ? "the upstream" : name
        switch answer.status {
        case 400: return "\(subject) cannot be asked for: \(message)"
        case 401: return "\(subject) needs credentials that are accepted"
        case 403: return "\(subject) is not allowed with these credentials"
        case 404: return "\(subject) was not found"
        case 409: return "\(subject) conflicts with the present state"
        case 410: return "\(subject) exists no more"
        case 412: return "a precondition of \(subject) does not hold"
        case 422: return "\(subject) cannot be processed"
        case 503: return "\(subject) is not available"
        case 504: return "\(subject) did not answer in time"
        default: return message502(subject)
        }
    }

    private func message502(_ subject: String) -> String {
        switch kind {
        case .requestErr: "\(subject) was refused"
        case .pathErr: "\(subject) gave no usable answer"
        case .serverErr: "\(subject) failed"
        case .networkFail: "\(subject) gave no whole answer"
        case .success, .noContent: "\(subject) failed"
        }
    }
}
