package import HTTPModel

/// The rules for header fields that a plan or a configuration sets.
package enum FieldRules {
    /// Whose fields a rule is about.
    package enum Message {
        /// A call to an upstream.
        case request
        /// A response that passes through.
        case passedResponse
        /// An answer whose body the gateway makes.
        case answer
    }

    /// The fields of answers that the gateway sets, besides the fields of the transport.
    package static let gatewayFields: [HTTPFieldName] = [
        .contentType, .date, .xRequestID, .xContentTypeOptions, .proxyStatus,
    ]

    /// Returns why a field cannot be set; nil if it can.
    package static func fault(_ name: HTTPFieldName, in message: Message) -> String? {
        let isOwn =
            switch message {
            // A plan's bodies are JSON, whole and without a coding.
            case .request:
                TransportFields.areInRequest(name) || name == .contentEncoding || name == .contentRange
            case .passedResponse: TransportFields.areInResponse(name) || name == .host
            case .answer:
                TransportFields.areInMadeResponse(name) || name == .host || gatewayFields.contains(name)
            }
        return isOwn ? "\(name) is set by the gateway alone" : nil
    }
}
