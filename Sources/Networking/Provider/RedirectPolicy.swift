import HTTPModel

/// Which redirects (RFC 9110 15.4) a provider follows. None by default: a 3xx is an answer, and none to the request.
public struct RedirectPolicy: Sendable, Hashable {
    /// Redirects one after the other; 0 turns them off.
    public var maximum: Int
    /// Hosts that a redirect may lead to besides the one that redirects: `cdn.example.com`, `cdn.example.com:8443`,
    /// `*.example.com`.
    public var hosts: Set<String>

    /// So many redirects, to the upstream's own host and to `hosts`.
    public init(maximum: Int, hosts: Set<String> = []) {
        self.maximum = maximum
        self.hosts = hosts
    }

    /// None is followed: a 3xx is what the call ends with.
    public static let never = RedirectPolicy(maximum: 0)

    /// Follows redirects that stay with the upstream's own host and those to `hosts`.
    ///
    /// 301 and 302 make a POST a GET, 303 everything but HEAD; 307 and 308 keep method and body. From https to http is never
    /// followed. To another origin go no `Authorization`, no `Cookie`, no
    /// `X-Api-Key` and the like, and nothing that was forwarded from a client.
    ///
    /// - Parameters:
    ///   - maximum: redirects one after the other. Default 3.
    ///   - hosts: where they may lead to besides. Default none.
    public static func follow(maximum: Int = 3, hosts: Set<String> = []) -> RedirectPolicy {
        RedirectPolicy(maximum: maximum, hosts: hosts)
    }

    func allows(_ url: HTTPURL, from upstream: Upstream) -> Bool {
        let source = upstream.baseURL
        if source.scheme == .https, url.scheme == .http { return false }
        if url.hasSameOrigin(as: source) { return true }
        let hasOwnPorts = source.port == source.scheme.defaultPort && url.port == url.scheme.defaultPort
        // What is behind a Unix-domain socket has no host of its own, whatever it is called.
        if url.host == source.host, hasOwnPorts, upstream.unixSocketPath == nil { return true }
        return hosts.contains { allowed in
            let allowed = allowed.lowercased()
            if allowed.hasPrefix("*.") {
                return url.host.hasSuffix(allowed.dropFirst()) && url.host.count >= allowed.count
            }
            return allowed == url.host || allowed == "\(url.host):\(url.port)"
        }
    }
}

extension TransportCall {
    var url: HTTPURL {
        var url = upstream.baseURL
        url.path = path
        url.query = query
        return url
    }

    /// What follows a response that redirects; nil where it does not.
    func redirected(by response: Response) -> Redirection? {
        let status = response.statusCode
        guard [301, 302, 303, 307, 308].contains(status), let location = response.fields[.location] else {
            return nil
        }
        guard let url = try? url.resolving(location) else { return .nowhere }
        let becomesGet = status == 303 ? method != .head : status <= 302 && method == .post
        return .to(url, becomesGet ? .get : method, keepsBody: !becomesGet)
    }

    /// The same call at another place.
    ///
    /// - Parameter settings: of an upstream at the origin of `url`.
    func moved(to url: HTTPURL, _ method: HTTPMethod, keepsBody: Bool, settings: CallSettings)
        throws(RequestFault) -> TransportCall
    {
        let target = Array(url.target.utf8)
        if let fault = target.withUnsafeBytes({ TargetRules.fault(inPath: $0) }) {
            throw RequestFault(.url, fault)
        }
        guard target.count <= TargetRules.maximumLength else {
            throw RequestFault(.url, "the URL is longer than \(TargetRules.maximumLength) bytes")
        }
        let isSameOrigin = url.hasSameOrigin(as: upstream.baseURL)
        var fields = fields
        if !keepsBody {
            for name: HTTPFieldName in [.contentType, .contentEncoding, .contentLanguage] {
                fields.remove(name)
            }
        }
        if !isSameOrigin {
            for (text, _) in fields {
                if let name = HTTPFieldName(text), Redaction.standard.isSecret(field: name) {
                    fields.remove(name)
                }
            }
        }
        let context = isSameOrigin ? context : context?.withoutForwarding
        return TransportCall(
            method: method, target: target[...], body: keepsBody ? body : .none,
            own: CallFields.needed(fields, own?.headers ?? HTTPFields(), in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }
}

enum Redirection {
    case to(HTTPURL, HTTPMethod, keepsBody: Bool)
    /// `Location` is no address of http or https.
    case nowhere
}
