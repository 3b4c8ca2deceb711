// The names that a CEL condition may use, with the words that the editor and the reference show.

/** `call`: conditions on a call, in policies. `stop`: conditions on a stop, in checkers. */
export type ExpressionPlace = 'call' | 'stop'

export interface ExpressionField {
  readonly name: string
  readonly about: string
  readonly fields?: readonly ExpressionField[]
  /** Fields of the value of any key. Absent: nothing is known. */
  readonly each?: readonly ExpressionField[]
}

export interface ExpressionVariable extends ExpressionField {
  readonly places: readonly ExpressionPlace[]
}

const TALLY: readonly ExpressionField[] = [
  { name: 'calls', about: 'finished calls' },
  { name: 'succeeded', about: 'calls that succeeded' },
  { name: 'failed', about: 'calls that failed' },
  { name: 'denied', about: 'calls that were denied' },
  { name: 'last', about: 'outcome of the last call; null before the first' },
]

/** The keys of `args` are the arguments of the tool, and those of `calls` are tool names. */
export const EXPRESSION_VARIABLES: readonly ExpressionVariable[] = [
  { name: 'tool', places: ['call'], about: 'canonical name of the tool' },
  { name: 'args', places: ['call'], about: 'arguments of the call' },
  {
    name: 'calls',
    places: ['call', 'stop'],
    about: 'counts of finished calls by tool',
    each: TALLY,
  },
  {
    name: 'session',
    places: ['call', 'stop'],
    about: 'facts of the session',
    fields: [
      { name: 'prompt', about: 'name of the prompt' },
      { name: 'environment', about: 'name of the environment, when known' },
      { name: 'tags', about: 'tags by name' },
      { name: 'elapsed_seconds', about: 'seconds since the session started' },
      { name: 'remaining_seconds', about: 'seconds until the deadline, with a deadline' },
      {
        name: 'usage',
        about: 'tokens',
        fields: [
          { name: 'input', about: 'input tokens' },
          { name: 'output', about: 'output tokens' },
          { name: 'total', about: 'input and output tokens' },
        ],
      },
      {
        name: 'plan',
        about: 'steps of the plan',
        fields: [
          { name: 'total', about: 'number of steps' },
          { name: 'done', about: 'number of finished steps' },
        ],
      },
      { name: 'stop_blocks', about: 'number of blocked stops' },
      { name: 'calls', about: 'number of finished calls under this prompt' },
    ],
  },
  {
    name: 'stop',
    places: ['stop'],
    about: 'the stop that is checked',
    fields: [
      { name: 'via', about: 'how the agent stops, for example `turn_end`' },
      { name: 'output', about: 'structured output, when known' },
      { name: 'last_message', about: 'last message of the agent, when known' },
      { name: 'stop_reason', about: 'reason that the harness gave, when known' },
    ],
  },
]

export interface ExpressionFunction {
  readonly name: string
  /** `macro`: called on a list or map, with a name for its entries. */
  readonly form: 'function' | 'method' | 'macro'
  readonly about: string
  /** A condition on a call that compiles. */
  readonly example: string
}

export const EXPRESSION_FUNCTIONS: readonly ExpressionFunction[] = [
  {
    name: 'size',
    form: 'function',
    about: 'length of a text, list or map',
    example: 'size(args.files) <= 5',
  },
  {
    name: 'int',
    form: 'function',
    about: 'number without its fraction',
    example: 'int(args.count) % 2 == 0',
  },
  {
    name: 'uint',
    form: 'function',
    about: 'whole number that is not negative',
    example: 'uint(args.count) == 3u',
  },
  {
    name: 'double',
    form: 'function',
    about: 'number with a fraction',
    example: 'double(args.share) < 0.5',
  },
  {
    name: 'bool',
    form: 'function',
    about: '`true` or `false` from a text',
    example: 'bool(args.force) == false',
  },
  {
    name: 'string',
    form: 'function',
    about: 'text of a value',
    example: 'string(args.count) == "5"',
  },
  {
    name: 'bytes',
    form: 'function',
    about: 'bytes of a text',
    example: 'size(bytes(args.body)) < 1000',
  },
  {
    name: 'type',
    form: 'function',
    about: 'type of a value',
    example: 'type(args.path) == string',
  },
  {
    name: 'dyn',
    form: 'function',
    about: 'the same value, without a type check',
    example: 'dyn(args.count) == 5',
  },
  {
    name: 'contains',
    form: 'method',
    about: 'text contains another text',
    example: 'args.command.contains("--force")',
  },
  {
    name: 'startsWith',
    form: 'method',
    about: 'text begins with another text',
    example: 'args.path.startsWith("src/")',
  },
  {
    name: 'endsWith',
    form: 'method',
    about: 'text ends with another text',
    example: 'args.path.endsWith(".md")',
  },
  {
    name: 'matches',
    form: 'method',
    about: 'an RE2 pattern occurs in the text',
    example: 'args.command.matches("^git ")',
  },
  { name: 'has', form: 'function', about: 'the key exists', example: 'has(args.path)' },
  {
    name: 'all',
    form: 'macro',
    about: 'every entry satisfies the condition',
    example: 'args.files.all(f, f.endsWith(".md"))',
  },
  {
    name: 'exists',
    form: 'macro',
    about: 'at least one entry satisfies it',
    example: 'args.files.exists(f, f == ".env")',
  },
  {
    name: 'exists_one',
    form: 'macro',
    about: 'exactly one entry satisfies it',
    example: 'args.files.exists_one(f, f == "a")',
  },
  {
    name: 'existsOne',
    form: 'macro',
    about: 'the same',
    example: 'args.files.existsOne(f, f == "a")',
  },
  {
    name: 'map',
    form: 'macro',
    about: 'list of computed values',
    example: 'args.files.map(f, size(f)).exists(n, n > 100)',
  },
  {
    name: 'filter',
    form: 'macro',
    about: 'list of the entries that satisfy it',
    example: 'size(args.files.filter(f, f.endsWith(".env"))) == 0',
  },
]

export function listVariables(place: ExpressionPlace): readonly ExpressionVariable[] {
  return EXPRESSION_VARIABLES.filter(({ places }) => places.includes(place))
}
