import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'
import { warning } from '../place.ts'
import type { PolicyForm, PolicyPlace, Surroundings } from './policy-rule.ts'
import type { ReadBeforeWriteDocument } from './read-before-write.ts'

export const readBeforeWriteForm: PolicyForm<ReadBeforeWriteDocument> = {
  label: 'Read before write',
  sample: {
    id: 'read-before-write',
    type: 'read_before_write',
    read_tools: ['read_file'],
    write_tools: ['write_file'],
  },
  form: [
    { control: 'names', field: 'read_tools', label: 'Tools that read', isRequired: true },
    { control: 'names', field: 'write_tools', label: 'Tools that write', isRequired: true },
    {
      control: 'toggle',
      field: 'reads_expire_on_change',
      label: 'Files changed since they were read must be read again',
      absent: true,
    },
    {
      control: 'toggle',
      field: 'writes_count_as_reads',
      label: 'Files that the agent wrote count as read',
      absent: true,
    },
    {
      control: 'details',
      label: 'Paths',
      fields: [
        {
          control: 'names',
          field: 'path_params',
          label: 'Arguments that hold the path',
          hint: 'Default: path, file_path',
          adding: 'add argument',
        },
        {
          control: 'text',
          field: 'mount_point',
          label: 'Mount point',
          placeholder: '/workspace',
          hint: 'Prefix under which the tools see the workspace',
        },
      ],
    },
  ],
  advice: readTrap,
  blindSpots: findUnseenWrites,
}

function readTrap({ item, pointer }: PolicyPlace<ReadBeforeWriteDocument>): readonly Problem[] {
  const { mode, read_tools: readers, write_tools: writers } = item
  if (mode === 'off') return []
  if (readers.length === 0 || !readers.every((tool) => writers.includes(tool))) return []
  const message = `Every tool that reads is also one that must have read before, so an existing file can never be read or written. Take ${readers.join(', ')} out of write_tools, or name another reading tool.`
  return [warning(pointerTo(pointer, 'read_tools'), 'only_writers_read', message)]
}

const SHELL =
  /^(local_)?(bash|zsh|sh|shell|powershell|terminal|exec|command)$|^(run|execute|exec)_(in_)?(shell|bash|command|terminal|shell_command|terminal_cmd)$/i
const MCP = /^mcp_/i

function findUnseenWrites(
  { item, pointer }: PolicyPlace<ReadBeforeWriteDocument>,
  { tools, isHeld }: Surroundings,
): readonly Problem[] {
  if (item.mode === 'off') return []
  const known = new Set([...item.read_tools, ...item.write_tools])
  const unseen = tools.filter((tool) => !known.has(tool))
  const shells = unseen.filter((tool) => SHELL.test(tool) && !isHeld(tool))
  const foreign = unseen.filter((tool) => MCP.test(tool) && !isHeld(tool))
  return [
    ...(shells.length === 0
      ? []
      : [
          `A command of ${shells.join(', ')} can write any file, and this rule does not see it. Add an expression or approval rule on ${shells.join(', ')}.`,
        ]),
    ...(foreign.length === 0
      ? []
      : [
          `If ${foreign.join(', ')} writes files, this rule does not see it. Map it to a canonical name in aliases, or name it in write_tools or read_tools.`,
        ]),
  ].map((message) => warning(pointer, 'reads_bypassed', message))
}
