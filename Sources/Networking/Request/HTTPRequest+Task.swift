public import HTTPModel

/// URLs and bodies built from values, like a target's path and task.
extension HTTPRequest {
    /// Creates a request from a base URL and a path. Each interpolated value stays in one segment,
    /// percent-encoded.
    ///
    ///     HTTPRequest(baseURL: "http://users.test/v1", path: "/users/\(name)")
    ///
    /// The call fails if a value could leave its segment or the base URL has a fragment.
    public init(baseURL: String, path: RequestPath, method: HTTPMethod = .get) {
        var base = baseURL[...]
        while base.last == "/" { base.removeLast() }
        let separator = path.text.isEmpty || path.text.hasPrefix("/") || path.text.hasPrefix("?") ? "" : "/"
        self.init(url: base + separator + path.text, method: method)
        if let fault = path.fault { fail(RequestFault(.url, fault)) }
        if baseURL.utf8.contains(UInt8(ascii: "#")) { fail(RequestFault(.url, "a base URL has no fragment")) }
    }

    /// Adds parameters to the query, after those in the URL.
    ///
    /// - Parameters:
    ///   - parameters: the parameters to add.
    ///   - encoding: must write a query; otherwise the call fails.
    public consuming func addQuery(
        _ parameters: Parameters, encoding: ParameterEncoding = .query
    ) -> HTTPRequest {
        setTask(.plain.adding(query: parameters, encoding: encoding))
    }

    /// Adds parameters to the query or the body, as `encoding` says. If it depends on the method, set the
    /// method first.
    public consuming func setParameters(
        _ parameters: Parameters, encoding: ParameterEncoding
    ) -> HTTPRequest {
        setTask(.parameters(parameters, encoding: encoding))
    }

    /// Sets query and body like a target's task: JSON, forms, multipart, a file. Keeps the URL's query, and
    /// keeps the body if the task has none. Adds the content type unless the request has one.
    public consuming func setTask(_ task: RequestTask) -> HTTPRequest {
        do throws(RequestFault) {
            let content = try RequestContent(task, method: method)
            if !content.query.isEmpty {
                if let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) {
                    url.removeSubrange(fragment...)
                }
                if let mark = url.queryMark { url.unicodeScalars.append(Unicode.Scalar(mark)) }
                url += String(decoding: content.query, as: UTF8.self)
            }
            if !content.body.isNone { body = content.body }
            if let type = content.contentType, !headers.contains(.contentType) {
                headers.append(.contentType, type)
            }
        } catch {
            fail(error)
        }
        return self
    }
}

extension String {
    /// The separator between this URL or path, possibly with a query, and a further parameter.
    var queryMark: UInt8? {
        guard utf8.contains(UInt8(ascii: "?")) else { return UInt8(ascii: "?") }
        let last = utf8.last
        return last == UInt8(ascii: "?") || last == UInt8(ascii: "&") ? nil : UInt8(ascii: "&")
    }
}
