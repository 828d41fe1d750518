import JSONSchema

/// What a description says of an operation, without references; schemas by their places.
struct OperationModel {
    let operation: OpenAPIOperation
    var parameters: [ParameterModel] = []
    var body: BodyModel?
    var responses: [ResponseModel] = []
    var responsesDocument: String
    var responsesPlace: SchemaPlace
}

struct ParameterModel {
    let name: String
    let location: ParameterPlace
    let isRequired: Bool
    var allowsEmpty = false
    let style: ParameterStyle?
    let schema: SchemaGroup.Root?
    let document: String
    let place: SchemaPlace

    /// Equal for parameters of which an operation has one. Names of fields are equal in any case.
    var key: String { "\(location.rawValue) \(location == .field ? name.lowercased() : name)" }
}

struct ContentModel {
    var types: [(text: String, schema: SchemaGroup.Root?)] = []
    let document: String
    let place: SchemaPlace
}

struct BodyModel {
    let isRequired: Bool
    let content: ContentModel
}

struct ResponseModel {
    let key: ResponseKey
    let fields: [ParameterModel]
    let content: ContentModel
}

/// The compiled schemas of a side, by their places.
struct SchemaTable {
    private let schemas: [SchemaGroup.Root: JSONSchema]
    let warnings: [SchemaProblem]
    let nodes: Int

    init(
        _ roots: [SchemaGroup.Root], _ catalog: SchemaCatalog, _ options: SchemaOptions
    ) throws(JSONSchemaError) {
        var known: Set<SchemaGroup.Root> = []
        let distinct = roots.filter { known.insert($0).inserted }
        let group = try SchemaGroup(distinct, catalog: catalog, options: options)
        schemas = Dictionary(zip(distinct, group.schemas), uniquingKeysWith: { first, _ in first })
        warnings = group.warnings
        nodes = group.nodes
    }

    subscript(root: SchemaGroup.Root) -> JSONSchema? { schemas[root] }
}
