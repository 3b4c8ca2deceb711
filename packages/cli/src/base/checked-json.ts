import { Unusable } from './io.ts'

interface Schema<Value> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: Value }
    | {
        readonly success: false
        readonly error: {
          readonly issues: readonly {
            readonly path: readonly PropertyKey[]
            readonly message: string
          }[]
        }
      }
}

/** Throws Unusable, naming the file and the place in it. */
export function parseCheckedJson<Value>(schema: Schema<Value>, file: string, text: string): Value {
  const parsed = schema.safeParse(parseJson(file, text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.map((part) => `/${String(part)}`).join('') ?? ''
  throw new Unusable(`${file}${where}: ${issue?.message ?? 'wrong'}`)
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unusable(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
