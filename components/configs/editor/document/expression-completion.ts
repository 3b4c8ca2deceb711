// Pure: the names that fit at the cursor of a CEL condition. Accepts broken conditions.
import {
  EXPRESSION_FUNCTIONS,
  type ExpressionField,
  type ExpressionPlace,
  listVariables,
} from '@signalbox/core/lint'

/** Names that the prompt's tools and recorded calls add. */
export interface KnownNames {
  readonly tools: readonly string[]
  readonly args: readonly string[]
}

export interface ExpressionOption {
  readonly label: string
  readonly about: string
  readonly insert: string
  /** Number of characters of `insert` that stand after the cursor. */
  readonly back: number
}

export interface ExpressionOptions {
  /** Length of the name that is being typed. */
  readonly typed: number
  readonly options: readonly ExpressionOption[]
}

const NAME = /^[A-Za-z_]\w*$/

/** `before`: the condition up to the cursor. Null: inside a text or a comment. */
export function optionsAt(
  before: string,
  place: ExpressionPlace,
  known: KnownNames,
): ExpressionOptions | null {
  if (isInText(before)) return null
  const typed = /\w*$/.exec(before)?.[0] ?? ''
  const head = before.slice(0, before.length - typed.length)
  const path = /(?:^|[^\w.\])])((?:[A-Za-z_]\w*\.)+)$/.exec(head)?.[1]
  const options =
    path !== undefined
      ? membersAt(path.slice(0, -1).split('.'), place, known)
      : head.endsWith('.')
        ? METHODS
        : namesAt(place)
  return options.length === 0 ? null : { typed: typed.length, options }
}

function isInText(before: string): boolean {
  const outside = before.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '')
  return /["']|\/\//.test(outside)
}

const METHODS = EXPRESSION_FUNCTIONS.flatMap(({ name, form, about }): ExpressionOption[] => {
  if (form === 'method') return [{ label: name, about, insert: `${name}('')`, back: 2 }]
  return form === 'macro' ? [{ label: name, about, insert: `${name}(x, )`, back: 1 }] : []
})

function namesAt(place: ExpressionPlace): readonly ExpressionOption[] {
  const functions = EXPRESSION_FUNCTIONS.flatMap(({ name, form, about }): ExpressionOption[] =>
    form === 'function' ? [{ label: name, about, insert: `${name}()`, back: 1 }] : [],
  )
  return [...listVariables(place).map(toOption), ...functions]
}

function toOption({ name, about }: Pick<ExpressionField, 'name' | 'about'>): ExpressionOption {
  return { label: name, about, insert: name, back: 0 }
}

/** Any other name is written in brackets: `args["a-b"]`. */
function listOwn(names: readonly string[], about: string): readonly ExpressionOption[] {
  return names.filter((name) => NAME.test(name)).map((name) => toOption({ name, about }))
}

function membersAt(
  path: readonly string[],
  place: ExpressionPlace,
  { tools, args }: KnownNames,
): readonly ExpressionOption[] {
  const [root, ...keys] = path
  const variable = listVariables(place).find(({ name }) => name === root)
  if (variable === undefined) return METHODS
  if (keys.length === 0 && variable.name === 'args') return listOwn(args, 'argument')
  if (keys.length === 0 && variable.name === 'calls') return listOwn(tools, 'tool')
  let fields: readonly ExpressionField[] | undefined = variable.fields
  let each = variable.each
  for (const key of keys) {
    const field: ExpressionField | undefined = fields?.find(({ name }) => name === key)
    fields = field?.fields ?? each
    each = field?.each
  }
  return fields === undefined ? METHODS : fields.map(toOption)
}
