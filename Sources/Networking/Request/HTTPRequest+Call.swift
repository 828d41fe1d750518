import HTTPModel

/// A request becomes a call, and a call a request that an interceptor may change.
extension HTTPRequest {
    /// Where the request goes, `scheme://host[:port]`: the base URL of the settings that its call needs.
    func origin() throws(RequestFault) -> String {
        try address().origin
    }

    /// The call on the wire, on top of the fields that its provider has for every call.
    ///
    /// - Parameter settings: of an upstream at this request's `origin()`, whose base URL has no path of its own, or one that
    ///   the request's begins with.
    func call(
        _ settings: CallSettings, context: CallContext?, envelope: ResponseEnvelope = .none,
        allowsEmptyBody: Bool = false
    ) throws(RequestFault) -> TransportCall {
        let target = try target(at: settings.upstream)
        var fields: HTTPFields?
        if !headers.isEmpty { fields = try RequestBuilder.add(headers, nil, to: settings.fields) }
        return TransportCall(
            method: method, target: target, body: body,
            own: CallFields.needed(fields, headers, in: context, shared: settings), context: context,
            envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: CallOptions.needed(
                timeout: timeout, attemptLimits: attemptLimits, validation: validation,
                contentDecoding: contentDecoding))
    }

    /// The call that `original` becomes with this request in its place, which was made of it and changed: what the request does
    /// not say (context, envelope) stays, and its fields are all that the provider and the target send.
    ///
    /// - Parameter settings: as for `call(_:context:)`; `original.settings` where the origin is the same.
    func call(_ settings: CallSettings, replacing original: TransportCall) throws(RequestFault)
        -> TransportCall
    {
        let target = try target(at: settings.upstream)
        var own = original.own
        if headers != original.fields || settings.upstream !== original.upstream {
            let checked = try RequestBuilder.add(headers, nil, to: HTTPFields())
            own = CallFields.needed(
                checked, headers.without(settings.fields), in: original.context, shared: settings)
        }
        return TransportCall(
            method: method, target: target, body: body, own: own, context: original.context,
            envelope: original.envelope, allowsEmptyBody: original.allowsEmptyBody, settings: settings,
            options: CallOptions.needed(
                timeout: timeout, attemptLimits: attemptLimits, validation: validation,
                contentDecoding: contentDecoding))
    }

    private func target(at upstream: Upstream) throws(RequestFault) -> ArraySlice<UInt8> {
        if let fault { throw fault }
        let (url, origin) = try address()
        guard origin == HTTPRequest.origin(of: upstream.baseURL) else {
            throw RequestFault(.url, "the request goes to another origin than upstream \(upstream.name)")
        }
        let target = Array(url.target.utf8)
        if let fault = target.withUnsafeBytes({ TargetRules.fault(inPath: $0) }) {
            throw RequestFault(.url, fault)
        }
        let isUnderPrefix =
            target.starts(with: upstream.prefix)
            && [nil, UInt8(ascii: "/"), UInt8(ascii: "?")].contains(
                target.dropFirst(upstream.prefix.count).first)
        guard upstream.prefix.isEmpty || isUnderPrefix else {
            throw RequestFault(.url, "the request leaves the path of upstream \(upstream.name)")
        }
        guard target.count <= TargetRules.maximumLength else {
            throw RequestFault(.url, "the URL is longer than \(TargetRules.maximumLength) bytes")
        }
        return target[...]
    }

    private func address() throws(RequestFault) -> (url: HTTPURL, origin: String) {
        do {
            let url = try HTTPURL(normalizing: url)
            return (url, HTTPRequest.origin(of: url))
        } catch {
            throw RequestFault(.url, "the address of the request: \(error)", underlying: error)
        }
    }

    private static func origin(of url: HTTPURL) -> String { "\(url.scheme.rawValue)://\(url.authority)" }
}

extension TransportCall {
    /// The call as a request: with its whole address, and all fields that the provider and its target send.
    public var request: HTTPRequest {
        let base = settings.upstream.baseURL
        let target = String(decoding: target, as: UTF8.self)
        return HTTPRequest(
            url: "\(base.scheme.rawValue)://\(base.authority)\(target)", method: method, headers: fields,
            body: body,
            timeout: options?.timeout, attemptLimits: options?.attemptLimits, validation: validation
        ).setContentDecoding(contentDecoding)
    }
}

extension HTTPFields {
    /// The fields that are not among `others` with the same value.
    fileprivate func without(_ others: HTTPFields) -> HTTPFields {
        var rest = HTTPFields()
        for (text, value) in self {
            guard let name = HTTPFieldName(text), others.values(of: name) != [value] else { continue }
            rest.append(name, value)
        }
        return rest
    }
}
