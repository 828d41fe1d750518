import ASCIIText
public import HTTPModel

/// The redirects (RFC 9110 15.4) that a provider follows. By default none: a 3xx is the response of the call.
///
/// 301 and 302 turn a POST into a GET, 303 turns every method but HEAD into a GET, 307 and 308 keep method
/// and body. A redirect from https to http is never followed.
///
/// A redirect to one of the upstream's base URLs stays within the upstream, which may send it to any of its
/// addresses. One that only adds or removes the final dot of the host (`api.test.`) keeps all fields: it
/// leads to the same server. A redirect to another origin (scheme, host or port) drops the fields forwarded
/// from a gateway's client and every field named like a secret: `Authorization`, `Cookie`,
/// `Proxy-Authorization`, and names that end in a word like `-Key`, `-Token`, `-Secret`, `-Auth`,
/// `-Password`, `-Signature`, `-Credential` or `-Session`. A redirect back does not restore them.
public struct RedirectPolicy: Sendable, Hashable {
    /// Maximum number of consecutive redirects; 0 turns redirects off.
    public var maximum: Int
    /// Further hosts that a redirect may lead to: `cdn.example.com`, `cdn.example.com:8443`, `*.example.com`.
    public var hosts: Set<String>
    /// Fields sent to other origins in `hosts` although they are named like secrets, e.g. `Idempotency-Key`.
    public var safeFields: Set<HTTPFieldName>

    /// Creates a policy that follows redirects to the upstream's own host and to `hosts`.
    public init(maximum: Int, hosts: Set<String> = [], safeFields: Set<HTTPFieldName> = []) {
        self.maximum = maximum
        self.hosts = hosts
        self.safeFields = safeFields
    }

    /// Follows no redirects. A 3xx is the response of the call.
    public static let never = RedirectPolicy(maximum: 0)

    /// Follows redirects to the upstream's own host and to `hosts`.
    ///
    /// - Parameters:
    ///   - maximum: maximum number of consecutive redirects. Default 3.
    ///   - hosts: further hosts that redirects may lead to. Default none.
    ///   - safeFields: fields sent to other origins although they are named like secrets. Default none.
    public static func follow(
        maximum: Int = 3, hosts: Set<String> = [], safeFields: Set<HTTPFieldName> = []
    ) -> RedirectPolicy {
        RedirectPolicy(maximum: maximum, hosts: hosts, safeFields: safeFields)
    }

    /// Whether the field is withheld from other origins.
    func drops(_ name: HTTPFieldName) -> Bool {
        Redaction.standard.isSecret(field: name) && !safeFields.contains(name)
    }

    func allows(_ url: HTTPURL, from upstream: Upstream) -> Bool {
        if upstream.baseURL.scheme == .https, url.scheme == .http { return false }
        if upstream.hasServer(of: url) { return true }
        // All Unix-domain sockets have the same host, so a matching host means nothing there.
        if url.port == url.scheme.defaultPort, upstream.unixSocketPath == nil,
            upstream.baseURLs.contains(where: {
                HostName.areSame($0.host, url.host) && $0.port == $0.scheme.defaultPort
            })
        {
            return true
        }
        let host = HostName.withoutFinalDot(url.host)
        return hosts.contains { allowed in
            let allowed = allowed.lowercased()
            let name = HostName.withoutFinalDot(allowed)
            if name.hasPrefix("*.") { return host.hasSuffix(name.dropFirst()) && host.count >= name.count }
            return name == host || allowed == "\(host):\(url.port)" || allowed == "\(host).:\(url.port)"
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

    /// Returns the redirect that a response asks for, if any.
    func redirected(by response: Response) -> Redirection? {
        let status = response.statusCode
        guard [301, 302, 303, 307, 308].contains(status),
            let location = response.fields.firstValueBytes(.location)
        else {
            return nil
        }
        guard let url = try? url.resolving(location) else { return .invalid }
        let becomesGet = status == 303 ? method != .head : status <= 302 && method == .post
        return .to(url, becomesGet ? .get : method, keepsBody: !becomesGet)
    }

    /// Returns the call sent to a redirect's URL, without the fields that another origin must not receive.
    ///
    /// - Parameter settings: settings for the origin of `url`.
    func moved(
        to url: HTTPURL, _ method: HTTPMethod, keepsBody: Bool, settings: CallSettings, policy: RedirectPolicy
    ) throws(RequestFault) -> TransportCall {
        let target = try TargetRules.checked(Array(url.target.utf8))
        let isSameServer = upstream.hasServer(of: url)
        var fields = fields
        var headers = own?.headers ?? HTTPFields()
        func drop(where isDropped: (HTTPFieldName) -> Bool) {
            fields.remove { HTTPFieldName(bytes: $0).map(isDropped) ?? false }
            headers.remove { HTTPFieldName(bytes: $0).map(isDropped) ?? false }
        }
        if !keepsBody {
            drop { [.contentType, .contentEncoding, .contentLanguage].contains($0) }
        }
        if !isSameServer { drop { policy.drops($0) } }
        let context = isSameServer ? context : context?.withoutForwarding
        return TransportCall(
            method: method, target: target[...], body: keepsBody ? body : .none,
            own: CallFields.makeIfNeeded(fields, headers, in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options, countedBody: keepsBody ? countedBody : nil)
    }
}

enum Redirection {
    case to(HTTPURL, HTTPMethod, keepsBody: Bool)
    /// `Location` is not an http or https URL.
    case invalid
}
