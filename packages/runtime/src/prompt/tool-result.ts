// What a tool gives back.

/** A failure is a result too: only `ok` satisfies a policy, and only its value is kept. */
export class ToolResult<Value = unknown> {
  readonly success: boolean
  /** Text for the agent. */
  readonly message: string
  /** null: none. */
  readonly value: Value | null

  constructor(fields: {
    readonly success: boolean
    readonly message: string
    readonly value: Value | null
  }) {
    this.success = fields.success
    this.message = fields.message
    this.value = fields.value
  }

  static is(value: unknown): value is ToolResult {
    return value instanceof ToolResult
  }

  /** `message` absent: the value itself when it is text, else its JSON. */
  static ok<Value>(value: Value, message?: string): ToolResult<Value> {
    return new ToolResult({ success: true, message: message ?? textOf(value), value })
  }

  static error(message: string): ToolResult<never> {
    return new ToolResult<never>({ success: false, message, value: null })
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
