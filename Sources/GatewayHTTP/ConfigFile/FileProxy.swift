import EndpointPlans
import GatewayConfig
import GatewayCore
import HTTPModel

/// Translates an endpoint of a file whose requests pass through.
struct FileProxy {
    private let proxy: PlannedProxy
    private let upstream: FileUpstream
    private let document: ConfigDocument

    init(_ proxy: PlannedProxy, _ upstream: FileUpstream, in document: ConfigDocument) {
        self.proxy = proxy
        self.upstream = upstream
        self.document = document
    }

    func declare(on gateway: Gateway, _ faults: inout FileFaults) {
        guard check(&faults) else { return }
        var options = proxy.settings.options + proxy.settings.accessOptions(document)
        switch proxy.envelope {
        case nil: break
        case .bare?: options.append(.envelope(.bare))
        case .sluice?: options.append(.envelope(.sluice))
        }
        gateway.proxy(
            proxy.path.value.text, to: upstream.declareProxy(on: gateway),
            at: proxy.upstreamPath?.value ?? "",
            methods: proxy.usedMethods.map(\.httpMethod), fields: fields,
            options: options)
    }

    private var fields: ProxyFields {
        let (request, response) = (proxy.requestHeaders, proxy.responseHeaders)
        var constant = upstream.headers
        for name in proxy.settings.credentialFields(for: proxy.upstream.value) { constant.remove(name) }
        return ProxyFields.standard
            .adding(
                request: (proxy.settings.forward + request.added).map(\.value),
                response: response.added.map(\.value)
            )
            .removing(request: request.removed.map(\.value), response: response.removed.map(\.value))
            .with(constant: constant)
    }

    /// Reports fields that cannot pass. Returns whether all can.
    private func check(_ faults: inout FileFaults) -> Bool {
        var isGood = true
        func check(_ names: [Located<HTTPFieldName>], _ fields: (HTTPFieldName) -> ProxyFields) {
            for name in names {
                guard let fault = fields(name.value).fault else { continue }
                isGood = false
                faults.add("the proxy \(proxy.path.value.shown) \(fault)", at: name.place)
            }
        }
        check(proxy.settings.forward + proxy.requestHeaders.added) { ProxyFields.none.adding(request: $0) }
        check(proxy.responseHeaders.added) { ProxyFields.none.adding(response: $0) }
        return isGood
    }
}
