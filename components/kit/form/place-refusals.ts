// Pure.

export interface InputRefusal {
  readonly message: string
  /** Path of an input, such as `destinations.0.url`; undefined: the whole input is refused. */
  readonly field: string | undefined
}

interface Placed<Name extends string> {
  readonly errors: {
    /** The first refusal that no field shows; undefined: none. */
    readonly form: string | undefined
    readonly fields: { readonly [Key in Name]?: string }
  }
  /** The first field with a refusal; undefined: none. */
  readonly first: Name | undefined
}

/** Converts the field `destinations[0].url` to `destinations.0.url`. */
function toPath(name: string): string {
  return name.replaceAll(/\[(\d+)\]/g, '.$1')
}

/** Removes the name of the input from `email: This is not an email address.`, because the field shows it. */
function toSentence({ message, field }: InputRefusal): string {
  const start = `${field}: `
  return message.startsWith(start) ? message.slice(start.length) : message
}

/** A field without an instance is not shown. A field also shows refusals of parts of its value. */
export function placeRefusals<Name extends string>(
  fields: { readonly [Key in Name]?: { readonly instance: unknown } },
  refusals: readonly InputRefusal[],
): Placed<Name> {
  const shown: Name[] = []
  for (const name in fields) if (fields[name]?.instance != null) shown.push(name)
  const errors: { [Key in Name]?: string } = {}
  let form: string | undefined
  for (const refusal of refusals) {
    const { field = '' } = refusal
    const [name] = shown
      .filter((each) => `${field}.`.startsWith(`${toPath(each)}.`))
      .sort((one, other) => other.length - one.length)
    if (name === undefined) form ??= refusal.message
    else errors[name] ??= toSentence(refusal)
  }
  return {
    errors: { form, fields: errors },
    first: shown.find((name) => errors[name] !== undefined),
  }
}
