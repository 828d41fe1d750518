public import HTTPModel

/// The redirects (RFC 9110 15.4) that a provider follows. Default: none, so a 3xx is the call's response.
///
/// 301 and 302 make a POST a GET, 303 makes every method but HEAD a GET; 307 and 308 keep method and body. A redirect from https
/// to http is never followed.
///
/// A redirect to another origin (scheme, host or port) drops what a client sent to a gateway, and every field whose name looks
/// like a secret: `Authorization`, `Cookie`, `Proxy-Authorization`, and names that end in a word like `-Key`, `-Token`,
/// `-Secret`, `-Auth`, `-Password`, `-Signature`, `-Credential` or `-Session`. A redirect back does not bring them back.
public struct RedirectPolicy: Sendable, Hashable {
    /// Redirects in a row; 0 turns them off.
    public var maximum: Int
    /// Hosts that a redirect may lead to besides the one that redirects: `cdn.example.com`, `cdn.example.com:8443`,
    /// `*.example.com`.
    public var hosts: Set<String>
    /// Fields that another origin of `hosts` gets although their name looks like a secret: `Idempotency-Key`, say.
    public var safeFields: Set<HTTPFieldName>

    /// Follows redirects to the upstream's own host and to `hosts`.
    public init(maximum: Int, hosts: Set<String> = [], safeFields: Set<HTTPFieldName> = []) {
        self.maximum = maximum
        self.hosts = hosts
        self.safeFields = safeFields
    }

    /// Follows no redirect: a call ends with its 3xx.
    public static let never = RedirectPolicy(maximum: 0)

    /// Follows redirects to the upstream's own host and to `hosts`.
    ///
    /// - Parameters:
    ///   - maximum: redirects in a row. Default 3.
    ///   - hosts: other hosts that they may lead to. Default none.
    ///   - safeFields: fields that other origins get although their name looks like a secret. Default none.
    public static func follow(
        maximum: Int = 3, hosts: Set<String> = [], safeFields: Set<HTTPFieldName> = []
    ) -> RedirectPolicy {
        RedirectPolicy(maximum: maximum, hosts: hosts, safeFields: safeFields)
    }

    /// Whether another origin must not get a field.
    func drops(_ name: HTTPFieldName) -> Bool {
        Redaction.standard.isSecret(field: name) && !safeFields.contains(name)
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
        guard [301, 302, 303, 307, 308].contains(status),
            let location = response.fields.firstValueBytes(.location)
        else {
            return nil
        }
        guard let url = try? url.resolving(location) else { return .nowhere }
        let becomesGet = status == 303 ? method != .head : status <= 302 && method == .post
        return .to(url, becomesGet ? .get : method, keepsBody: !becomesGet)
    }

    /// The same call at another place, without the fields that another origin must not get.
    ///
    /// - Parameter settings: of an upstream at the origin of `url`.
    func moved(
        to url: HTTPURL, _ method: HTTPMethod, keepsBody: Bool, settings: CallSettings, policy: RedirectPolicy
    ) throws(RequestFault) -> TransportCall {
        let target = Array(url.target.utf8)
        if let fault = target.withUnsafeBytes({ TargetRules.fault(inPath: $0) }) {
            throw RequestFault(.url, fault)
        }
        guard target.count <= TargetRules.maximumLength else {
            throw RequestFault(.url, "the URL is longer than \(TargetRules.maximumLength) bytes")
        }
        let isSameOrigin = url.hasSameOrigin(as: upstream.baseURL)
        var fields = fields
        var headers = own?.headers ?? HTTPFields()
        func drop(where isDropped: (HTTPFieldName) -> Bool) {
            fields.remove(where: isDropped)
            headers.remove(where: isDropped)
        }
        if !keepsBody {
            drop { [.contentType, .contentEncoding, .contentLanguage].contains($0) }
        }
        if !isSameOrigin { drop { policy.drops($0) } }
        let context = isSameOrigin ? context : context?.withoutForwarding
        return TransportCall(
            method: method, target: target[...], body: keepsBody ? body : .none,
            own: CallFields.needed(fields, headers, in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }
}

enum Redirection {
    case to(HTTPURL, HTTPMethod, keepsBody: Bool)
    /// `Location` is no address of http or https.
    case nowhere
}

extension HTTPFields {
    fileprivate mutating func remove(where isRemoved: (HTTPFieldName) -> Bool) {
        for (text, _) in self {
            if let name = HTTPFieldName(text), isRemoved(name) { remove(name) }
        }
    }
}
