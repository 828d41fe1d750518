import ASCIIText
import EndpointPlans
import EventIO

extension SettingTable where Root == GatewayServerConfiguration {
    /// TLS for clients.
    static let listenTLS = SettingTable(
        "listen.tls", definition: "listenTLS", standard: GatewayServerConfiguration(),
        exactlyOne: ["cert", "certificates"], example: "{cert: /etc/tls/app.pem, key: /etc/tls/app.key}",
        meant: [
            "certificate": "cert", "ssl_certificate": "cert", "public_key": "cert", "certFile": "cert",
            "private_key": "key", "ssl_certificate_key": "key", "keyFile": "key", "certs": "certificates",
            "keys": "certificates", "min_version": "minimum", "minVersion": "minimum", "ca": "clients",
            "ca_certs": "clients", "mtls": "clients", "enable_mtls": "clients", "clientAuth": "clients",
            "strictTransportSecurity": "hsts",
        ],
        isComplete: { values in
            guard values.has("cert") == values.has("certificates") else { return true }
            values.reader.error(
                values.has("cert")
                    ? "listen.tls has cert and key, or certificates, not both"
                    : "listen.tls needs the members \"cert\" and \"key\", or \"certificates\"",
                at: values.place)
            return false
        },
        check: { values, _ in
            if values.has("cert") != values.has("key") {
                values.reader.error("listen.tls: cert and key belong together", at: values.place)
            } else if let place = values.map["password"]?.namePlace, !values.has("cert") {
                values.reader.error(
                    "listen.tls.password belongs to cert and key; each of certificates has its own", at: place
                )
            }
        }
    ) {
        Setting("cert", .text, "A file with the certificate, and behind it its issuers, in PEM.") {
            $0.listenTLS.onlyIdentity.certificateChain = .file($1)
        }
        Setting("key", .text, "A file with the private key of the certificate, in PEM.") {
            $0.listenTLS.onlyIdentity.privateKey = .file($1)
        }
        Setting("password", .secret("tls"), "The password of an encrypted key.") {
            $0.listenTLS.onlyIdentity.password = $1
        }
        Setting(
            "certificates", \.self, .serverCertificates,
            "Several certificates: the name that a client asks for (SNI) chooses; others get the first one.")
        Setting(
            "minimum", \.listenTLS.minimumVersion, .word(["1.2": .tls12, "1.3": .tls13]),
            "The lowest version of TLS.")
        Setting(
            "clients", \.self, .settings(.tlsClients),
            "Certificates of clients (mTLS). By default clients are not asked for one.")
        Setting(
            "hsts", \.strictTransportSecurity, .orOff(.strictTransport), default: { $0 == nil ? "off" : nil },
            "Strict-Transport-Security on each answer over TLS: browsers call the name by https alone.")
    }

    /// Certificates of clients.
    static let tlsClients = SettingTable(
        "listen.tls.clients", definition: "tlsClients", standard: GatewayServerConfiguration(),
        required: ["ca"], example: "{ca: /etc/tls/partners.pem}",
        meant: [
            "caFile": "ca", "authorities": "ca", "ca_certs": "ca", "required": "require", "mode": "require",
            "san": "names",
        ]
    ) {
        Setting("ca", .text, "A file with the authorities of clients' certificates, in PEM.") {
            $0.listenTLS.ownClients.authorities = .file($1)
        }
        Setting(
            "names", \.listenTLS.ownClients.names,
            ValueType<[String]>.list(of: .certificateName, 1...CertificateNames.most),
            "The names of which a certificate must have one: DNS names, also *.example.com, or URIs. By default any."
        )
        Setting(
            "require", \.listenTLS.ownClients.isRequired, .bool,
            "Whether a client without a certificate is refused in the handshake.")
    }
}

extension SettingTable where Root == StrictTransportSecurity {
    /// What browsers remember.
    static let strictTransport = SettingTable(
        "listen.tls.hsts", definition: "strictTransport",
        standard: StrictTransportSecurity(maxAge: .seconds(365 * 86_400)), required: ["maxAge"],
        example: "{maxAge: 5m}",
        meant: ["max_age": "maxAge", "includeSubDomains": "subdomains", "includeSubdomains": "subdomains"],
        check: { values, changes in
            let standard = StrictTransportSecurity(maxAge: .zero)
            if let place = changes.place(of: "\(values.prefix).maxAge"),
                !changes.isUnknown("\(values.prefix).maxAge"),
                let fault = changes.applied(to: standard).ageFault
            {
                return values.reader.error("\(values.prefix): \(fault)", at: place)
            }
            guard let place = changes.place(of: "\(values.prefix).preload"),
                !["maxAge", "subdomains", "preload"].contains(where: {
                    changes.isUnknown("\(values.prefix).\($0)")
                }), let fault = changes.applied(to: standard).fault
            else { return }
            values.reader.error("\(values.prefix): \(fault)", at: place)
        }
    ) {
        Setting(
            "maxAge", \.maxAge, .duration(Root.maxAges), showsDefault: false,
            "How long browsers remember it, from each answer on.")
        Setting("subdomains", \.includesSubdomains, .bool, "Whether it holds for all subdomains, too.")
        Setting(
            "preload", \.allowsPreload, .bool,
            "Whether browsers may have it built in for good. Needs subdomains and a year.")
    }
}

extension SettingTable where Root == RedirectSettings {
    /// The port that redirects.
    static let redirect = SettingTable(
        "listen.redirect", definition: "redirect", standard: RedirectSettings(port: 80), required: ["port"],
        example: "{port: 80}",
        meant: [
            "acme": "challenges", "webroot": "challenges", "folder": "challenges", "target": "to",
            "targetPort": "to", "publicPort": "to",
        ]
    ) {
        Setting(
            "port", \.port, .integer(GatewayServerConfiguration.Ranges.port), showsDefault: false,
            "The port, at the gateway's own address; 0 for any free one.")
        Setting(
            "to", \.targetPort, .integer(GatewayServerConfiguration.Ranges.targetPort),
            "The port that browsers are sent to, where it differs from listen.port. By default that port.")
        Setting(
            "challenges", \.challenges, .text,
            "The folder of the files that answer an ACME client's challenges, at "
                + "/.well-known/acme-challenge/NAME.")
    }
}

// MARK: Several certificates

/// One of several certificates.
enum ServerCertificateShape {
    static let cert = Member("cert", .text, "A file with the certificate, and behind it its issuers, in PEM.")
    static let key = Member("key", .text, "A file with the private key of the certificate, in PEM.")
    static let password = Member("password", .secret("tls"), "The password of an encrypted key.")

    static let shape: Shape = Shape(
        "a certificate", definition: "serverCertificate", required: [cert.name, key.name],
        example: "{cert: /etc/tls/app.pem, key: /etc/tls/app.key}",
        meant: ["certificate": cert.name, "private_key": key.name], cert, key, password)
}

extension ValueType where Value == SettingChanges<GatewayServerConfiguration> {
    /// The value, with a hint for the word of the flag `--tls` in its place.
    var notSelfSigned: ValueType {
        ValueType(schema: schema) { node, subject, reader in
            guard case .scalar(let scalar) = node.content, scalar.text == "self-signed" else {
                return read(node, subject, reader)
            }
            reader.error("\(subject.text): self-signed is a flag only: --tls self-signed", at: node.place)
            return nil
        }.withShape(shape)
    }

    /// Certificates, each with the places of its files: `listen.tls.certificates[0].cert`.
    fileprivate static let serverCertificates: ValueType = {
        let certificates = ValueType<[SettingChanges<TLSConfiguration.Identity>]>.list(
            of: .serverCertificate, GatewayServerConfiguration.Ranges.certificates)
        return ValueType(schema: certificates.schema) { node, subject, reader in
            guard let certificates = certificates.read(node, subject, reader) else { return nil }
            var changes = SettingChanges<GatewayServerConfiguration> { [certificates] configuration in
                configuration.listenTLS.certificates = certificates.map { $0.applied(to: .unset) }
            }
            for (index, certificate) in certificates.enumerated() {
                for (key, place) in certificate.places {
                    changes.note("\(subject.text)[\(index)].\(key)", at: place)
                }
            }
            return changes
        }
    }()
}

extension ValueType where Value == SettingChanges<TLSConfiguration.Identity> {
    fileprivate static let serverCertificate = ValueType.object(ServerCertificateShape.shape) { values in
        guard let cert = values.located(ServerCertificateShape.cert),
            let key = values.located(ServerCertificateShape.key)
        else { return nil }
        let password = values.read(ServerCertificateShape.password)
        var changes = SettingChanges<TLSConfiguration.Identity> {
            $0 = TLSConfiguration.Identity(
                certificateChain: .file(cert.value), privateKey: .file(key.value), password: password)
        }
        changes.note("cert", at: cert.place)
        changes.note("key", at: key.place)
        return changes
    }
}

extension ValueType where Value == String {
    /// A name of a certificate's subjectAltName.
    static let certificateName = ValueType(.anyText, unknown: nil, written: { $0 }) {
        (scalar) throws(ScalarFault) in
        guard !scalar.isUnknown else { return scalar.text }
        if let fault = CertificateNames.fault(of: scalar.text) { throw .unfit(fault) }
        return scalar.text
    }
}

// MARK: Settings of TLS

extension GatewayServerConfiguration {
    /// The settings of TLS, which the first change of them makes.
    fileprivate var listenTLS: TLSServerConfiguration {
        get { tls ?? TLSServerConfiguration(certificates: []) }
        set { tls = newValue }
    }
}

extension TLSConfiguration.Identity {
    /// Stands for files that other keys name.
    fileprivate static let unset = Self(certificateChain: .text(""), privateKey: .text(""))
}

extension TLSServerConfiguration {
    /// The only certificate.
    fileprivate var onlyIdentity: TLSConfiguration.Identity {
        get { certificates.first ?? .unset }
        set { certificates = [newValue] }
    }

    /// The settings of clients' certificates, which the first change of them makes.
    fileprivate var ownClients: Clients {
        get { clients ?? Clients(authorities: .text("")) }
        set { clients = newValue }
    }
}
