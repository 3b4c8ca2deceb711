// The filter of the configs list, for the server's first page and the browser's next ones.
import type { ListFilter } from '@/server/configs/configs.ts'

/** Filter of an address without parameters. */
export const DEFAULT_FILTER: ListFilter = {
  archived: false,
  text: '',
  stands: null,
  environment: null,
}

export const STANDS = [
  { value: 'draft', label: 'Draft changed' },
  { value: 'apart', label: 'Environments differ' },
  { value: 'behind', label: 'Runtimes not in sync' },
  { value: 'unreleased', label: 'Not released' },
] as const satisfies readonly {
  readonly value: NonNullable<ListFilter['stands']>
  readonly label: string
}[]
