import ASCIIText
import EndpointPlans
import JSONSchema

/// How the schemas of the files are read: `jsonSchema`.
struct SchemaSettings: Sendable {
    var options = SchemaOptions()
    /// URIs, or prefixes of URIs that end with a slash, with the files or folders that they stand for.
    var catalog: [(uri: String, path: String)] = []
}

enum SchemaSettingsShape {
    static let dialect = Member(
        "dialect", ValueType<SchemaOptions.Draft>.word(["2020-12": .draft2020, "draft-07": .draft7]),
        default: "2020-12", "The draft of schemas without $schema.")
    static let formats = Member(
        "formats", ValueType<SchemaOptions.Formats>.word(["assert": .assert, "annotate": .annotate]),
        default: "assert", "Whether a text without its format is refused, or format only describes.")
    static let catalog = Member(
        "catalog", .catalog,
        "Files by the URIs that references name, and folders by prefixes that end with a slash.")
    static let shape: Shape = Shape(
        "jsonSchema", definition: "jsonSchema", example: "{formats: annotate}", dialect, formats, catalog)

    static func decode(_ values: ShapeValues) -> SchemaSettings {
        var settings = SchemaSettings()
        settings.options.dialect = values.read(dialect) ?? .draft2020
        settings.options.formats = values.read(formats) ?? .assert
        settings.catalog = values.read(catalog) ?? []
        return settings
    }
}

extension ValueType where Value == SchemaSettings {
    static let jsonSchema = ValueType.object(SchemaSettingsShape.shape, prefixes: true) {
        SchemaSettingsShape.decode($0)
    }
}

extension ValueType where Value == [(uri: String, path: String)] {
    static let catalog: ValueType = .map(of: ValueType<String>.includePath) { name, path, reader in
        let isFolder = name.value.hasSuffix("/")
        let scheme = name.value.prefix { $0 != ":" }
        guard scheme.count < name.value.count, scheme.first?.isLetter == true else {
            reader.error(
                "\"\(Shown.text(name.value))\" is not a URI such as https://schemas.example.com/",
                at: name.place)
            return nil
        }
        guard isFolder == path.value.hasSuffix("/") else {
            reader.error(
                isFolder
                    ? "a URI that ends with a slash stands for a folder, which ends with one, too"
                    : "a folder stands for a URI that ends with a slash, too", at: path.place)
            return nil
        }
        return (name.value, path.value)
    }
}
