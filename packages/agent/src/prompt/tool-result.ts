/** Result of a tool, which may be a failure. Only `ok` satisfies a policy, and only its value is kept. */
export class ToolResult<Value = unknown> {
  readonly success: boolean
  readonly message: string
  /** null: none. */
  readonly value: Value | null
  /** True: the model does not see the value; session, policies and record do. */
  readonly excludeValueFromContext: boolean

  constructor(fields: {
    readonly success: boolean
    readonly message: string
    readonly value: Value | null
    readonly excludeValueFromContext?: boolean
  }) {
    this.success = fields.success
    this.message = fields.message
    this.value = fields.value
    this.excludeValueFromContext = fields.excludeValueFromContext ?? false
  }

  static is(value: unknown): value is ToolResult {
    return value instanceof ToolResult
  }

  /** `message` absent: the value if it is text, else its JSON; empty if the value is excluded. */
  static ok<Value>(
    value: Value,
    message?: string,
    { excludeValueFromContext = false }: { readonly excludeValueFromContext?: boolean } = {},
  ): ToolResult<Value> {
    const text = message ?? (excludeValueFromContext ? '' : formatToolResult(value))
    return new ToolResult({ success: true, message: text, value, excludeValueFromContext })
  }

  static error(message: string): ToolResult<never> {
    return new ToolResult<never>({ success: false, message, value: null })
  }
}

function formatToolResult(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
