import HTTPModel
import Rx

/// A call that has not been sent, for an answer that passes its response on.
///
///     gateway.get("/thumbnails/{id}") { request in
///         .proxy(images.call(.thumbnail(try request.path("id"))))
///     }
public struct UpstreamCall: Sendable {
    enum Content {
        case target(TransportCall)
        /// Path and query as they are sent, without a target.
        case path(HTTPMethod, ArraySlice<UInt8>, CallSettings)
        case fault(RequestFault)
    }

    let provider: ProviderSettings
    let content: Content

    fileprivate init(_ provider: ProviderSettings, _ call: () throws(RequestFault) -> TransportCall) {
        self.provider = provider
        do {
            content = .target(try call())
        } catch {
            content = .fault(error)
        }
    }

    init(_ provider: ProviderSettings, _ method: HTTPMethod, at target: [UInt8]) {
        self.provider = provider
        do {
            try TargetRules.checkLength(target)
            content = .path(method, target[...], try provider.calls(to: ""))
        } catch {
            content = .fault(error)
        }
    }

    /// The fields of the target; nil if it has none.
    static func ownFields(of call: TransportCall) -> HTTPFields? {
        guard let own = call.own, !call.body.isNone || !own.headers.isEmpty else { return nil }
        var fields = call.fields
        // The provider's defaults are for JSON.
        for name in [HTTPFieldName.accept, .acceptEncoding] where !own.headers.contains(name) {
            fields.remove(name)
        }
        return fields
    }
}

extension ProviderSettings {
    func relay(
        _ call: TransportCall, to observer: any CallObserver
    ) -> Single<TransportResponse> {
        if let stages { return stages.response(to: call, by: self, observer: observer).map(\.raw) }
        return .emitting(ObservedRun<TransportResponse>(call, self, observer))
    }
}

extension TransportCall {
    convenience init(
        relaying method: HTTPMethod, _ target: ArraySlice<UInt8>, _ fields: HTTPFields, _ body: RequestBody,
        in context: CallContext, _ settings: CallSettings, _ options: CallOptions
    ) {
        self.init(
            method: method, target: target, body: body,
            own: CallFields(relaying: fields, in: context, to: settings.upstream), context: context,
            envelope: .none, allowsEmptyBody: true, settings: settings, options: options)
    }
}

extension HTTPFields {
    /// Returns the fields, and those fields of `others` whose names they do not have.
    func adding(_ others: HTTPFields) -> HTTPFields {
        var (sum, rest) = (self, others)
        rest.remove(allIn: self)
        sum.append(contentsOf: rest)
        return sum
    }
}

extension Provider {
    /// Returns the call of a target, to be passed on by `Answer.proxy` of a gateway. A fault of the target is
    /// the call's failure.
    public func call(_ target: Target) -> UpstreamCall {
        UpstreamCall(settings(for: target)) { () throws(RequestFault) in
            try prepare(target, isUnbounded: true)
        }
    }
}
