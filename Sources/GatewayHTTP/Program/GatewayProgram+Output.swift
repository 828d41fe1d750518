import GatewayConfig

extension GatewayProgram {
    /// Prints the OpenAPI description of a file's endpoints. Returns the exit code: 1 if the file has an
    /// error.
    package static func openAPI(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        guard let path = arguments.positional else {
            throw UsageError(message: "openapi needs a file: sluice openapi sluice.yaml")
        }
        guard let document = document(of: path) else { return 1 }
        Announcement.print(OpenAPIText.make(document))
        return 0
    }

    /// Reads a file without its variables and secrets, whose values the output does not show. Prints its
    /// problems and returns nil if one is an error.
    static func document(of path: String) -> ConfigDocument? {
        let reading = GatewayFile.readStatically(path)
        guard let document = reading.document else {
            for problem in reading.problems { Announcement.show(problem) }
            return nil
        }
        return document
    }
}
