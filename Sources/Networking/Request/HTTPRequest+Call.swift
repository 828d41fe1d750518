import HTTPModel

/// Conversions between a request and the call that sends it.
extension HTTPRequest {
    /// Returns the request's origin, `scheme://host[:port]`: a base URL for the settings of its call.
    func origin() throws(RequestFault) -> String {
        try parsedURL().origin
    }

    /// Creates the call and adds the fields that its provider sends with every call.
    ///
    /// - Parameters:
    ///   - settings: settings of an upstream at this request's `origin()`. If its base URL has a path, the
    ///     request's path must begin with it.
    ///   - context: the context of the call.
    ///   - envelope: the envelope of the response.
    ///   - allowsEmptyBody: whether an empty body is a valid response.
    func call(
        _ settings: CallSettings, context: CallContext?, envelope: ResponseEnvelope = .none,
        allowsEmptyBody: Bool = false
    ) throws(RequestFault) -> TransportCall {
        try MethodRules.check(method, body)
        let target = try target(at: settings.upstream)
        var fields: HTTPFields?
        if !headers.isEmpty { fields = try RequestBuilder.add(headers, nil, to: settings.fields) }
        return TransportCall(
            method: method, target: target, body: body,
            own: CallFields.makeIfNeeded(fields, headers, in: context, shared: settings), context: context,
            envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: CallOptions.makeIfNeeded(
                timeout: timeout, attemptLimits: attemptLimits, validation: validation,
                contentDecoding: contentDecoding))
    }

    /// Creates the call that replaces `original` after its request was changed. Context and envelope stay;
    /// the request's fields are all that the provider and the target send.
    ///
    /// - Parameters:
    ///   - settings: as for `call(_:context:)`; `original.settings` if the origin is the same.
    ///   - original: the call that the request was made from.
    func call(_ settings: CallSettings, replacing original: TransportCall) throws(RequestFault)
        -> TransportCall
    {
        try MethodRules.check(method, body)
        let target = try target(at: settings.upstream)
        var own = original.own
        if headers != original.fields || settings.upstream !== original.upstream {
            let checked = try RequestBuilder.add(headers, nil, to: HTTPFields())
            own = CallFields.makeIfNeeded(
                checked, headers.without(settings.fields), in: original.context, shared: settings)
        }
        return TransportCall(
            method: method, target: target, body: body, own: own, context: original.context,
            envelope: original.envelope, allowsEmptyBody: original.allowsEmptyBody, settings: settings,
            options: CallOptions.makeIfNeeded(
                timeout: timeout, attemptLimits: attemptLimits, validation: validation,
                contentDecoding: contentDecoding))
    }

    private func target(at upstream: Upstream) throws(RequestFault) -> ArraySlice<UInt8> {
        if let fault { throw fault }
        let url = try parsedURL()
        guard upstream.hasOrigin(of: url) else {
            throw RequestFault(.url, "the request goes to another origin than upstream \(upstream.name)")
        }
        let target = try TargetRules.checked(Array(url.target.utf8))
        let isUnderPrefix =
            target.starts(with: upstream.prefix)
            && [nil, UInt8(ascii: "/"), UInt8(ascii: "?")].contains(
                target.dropFirst(upstream.prefix.count).first)
        guard upstream.prefix.isEmpty || isUnderPrefix else {
            throw RequestFault(.url, "the request leaves the base path of upstream \(upstream.name)")
        }
        return target[...]
    }

    private func parsedURL() throws(RequestFault) -> HTTPURL {
        do {
            return try HTTPURL(normalizing: url)
        } catch {
            throw RequestFault(.url, "the URL of the request: \(error)", underlying: error)
        }
    }
}

extension TransportCall {
    /// The call as a request, with its complete URL and all fields that the provider and its target send.
    public var request: HTTPRequest {
        let target = String(decoding: target, as: UTF8.self)
        return HTTPRequest(
            url: settings.upstream.baseURL.origin + target, method: method, headers: fields,
            body: body,
            timeout: options?.timeout, attemptLimits: options?.attemptLimits, validation: validation
        ).setContentDecoding(contentDecoding)
    }
}

extension HTTPURL {
    var origin: String { "\(scheme.rawValue)://\(authority)" }
}

extension HTTPFields {
    /// The fields, except those with the same value in `others`.
    fileprivate func without(_ others: HTTPFields) -> HTTPFields {
        var rest = HTTPFields()
        forEachNamed { name, value in
            if others.valueBytes(of: name) != [value] { rest.append(name, bytes: value) }
        }
        return rest
    }
}
