import HTTPModel

extension GatewayRequest {
    /// Returns the fields of the body, a form.
    ///
    /// - Throws: 415 if `Content-Type` is not `application/x-www-form-urlencoded` in UTF-8, and what
    ///   `decodedBody()` throws; 400 if the body has an incomplete escape, is not UTF-8 or has more than
    ///   `FormFields.maximumCount` fields. At an endpoint that streams bodies, an error that is answered with
    ///   `500 INTERNAL`.
    public func form() throws -> FormFields {
        try requireBufferedBody(for: "form()")
        try checkFormType()
        return try FormFields(decodedBody())
    }

    /// Decodes the body, a form, as a value of `type`: a struct whose members are numbers, texts and other
    /// `RequestValue`s, optional or arrays of them. A field that occurs several times fills an array.
    ///
    ///     struct Login: Decodable { var name: String; var password: String; var remember: Bool? }
    ///     let login = try request.form(as: Login.self)
    ///
    /// - Throws: what `form()` throws; 400 if a field is missing or invalid, with its name and rule. The text
    ///   of a `DecodingError.dataCorrupted` is shown if it begins with "must": `must be sorted`.
    public func form<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let fields = try form()
        do {
            return try Value(from: FormDecoder(fields))
        } catch let error as DecodingError {
            throw FormDecoder.complaint(error)
        }
    }

    private func checkFormType() throws(GatewayError) {
        try checkContent()
        guard let bytes = fields.firstValueBytes(.contentType) else {
            throw .unsupportedMediaType(
                "Content-Type is missing; it must be application/x-www-form-urlencoded")
        }
        guard let type = MediaType(bytes: bytes), type.type == "application",
            type.subtype == "x-www-form-urlencoded"
        else { throw .unsupportedMediaType("Content-Type must be application/x-www-form-urlencoded") }
        guard let charset = type.parameter("charset")?.lowercased() else { return }
        guard charset == "utf-8" || charset == "utf8" else {
            throw .unsupportedMediaType("The charset of a form must be utf-8")
        }
    }
}
