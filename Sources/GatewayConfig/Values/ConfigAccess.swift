package import EndpointPlans
package import GatewayCore
import HTTPModel

/// An entry of `auth`: how clients prove who they are.
package struct ConfigAuth: Sendable {
    package var name: Located<String>
    package var method: AuthMethod
    /// Fields for upstreams, whose references name claims.
    package var sent: [PlannedField] = []
    /// The places of values by their keys: `jwt.keys`.
    package var places: [String: ConfigPlace] = [:]
    /// Whether a variable names where the credential is, so that output must not show it.
    var hidesSource = false

    package init(_ name: Located<String>, _ method: AuthMethod) {
        self.name = name
        self.method = method
    }

    /// Returns the place of a key's value; without it, the place of the name.
    func place(of key: String) -> ConfigPlace { places[key] ?? name.place }
}

extension ConfigAuth {
    /// Where a request has the credential of an entry.
    enum Source: Hashable {
        case field(HTTPFieldName)
        case cookie(String)

        /// The field that has it.
        var field: HTTPFieldName {
            switch self {
            case .field(let name): name
            case .cookie: .cookie
            }
        }
    }

    /// Whether a browser sends the credential by itself, with requests of any page too: a cookie, or a
    /// certificate.
    var isSentByBrowsers: Bool { readsCertificate || sources.contains { $0.field == .cookie } }

    /// Whether the certificate of the connection is the credential.
    var readsCertificate: Bool { if case .clientCertificate = method { true } else { false } }

    /// Where a request has the credential: any of these. Empty for a certificate, which no request has.
    var sources: [Source] {
        switch method {
        case .apiKeys(let keys): [.field(keys.header)]
        case .jwt(let tokens): [tokens.cookie.map { .cookie($0) } ?? .field(.authorization)]
        case .authorize(let authorizer): authorizer.forward.map { .field($0) }
        case .clientCertificate: []
        }
    }
}

/// A limit on requests, by its name.
package struct ConfigRateLimit: Sendable {
    package let name: Located<String>
    package var limit: RateLimit
    /// The place of `key`.
    package var keyPlace: ConfigPlace
    /// The place of `when`; without it, the place of the name.
    package var whenPlace: ConfigPlace
    /// Whether a variable that is not read is in its key or its condition.
    package var isUnknown = false

    package init(_ name: Located<String>, _ limit: RateLimit, keyPlace: ConfigPlace) {
        self.name = name
        self.limit = limit
        self.keyPlace = keyPlace
        whenPlace = name.place
    }
}

/// A server in which processes count together, by its name.
package struct ConfigStore: Sendable {
    package let name: Located<String>
    package var changes: SettingChanges<RedisStore>

    /// With the default values.
    package var settings: RedisStore { changes.applied(to: RedisStore("")) }
}
