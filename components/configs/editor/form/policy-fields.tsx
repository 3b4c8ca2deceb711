'use client'
// The policy types that have a form: what a new one holds, and its fields.
import type { ReactNode } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { NEW_POLICIES } from '../new-rules.ts'
import { Dependencies } from './dependency-fields.tsx'
import { ChipsField, NumberField, TextField, ToggleField } from './fields.tsx'

interface PathProps {
  readonly path: JsonPath
}

function SequentialFields({ path }: PathProps): ReactNode {
  return <Dependencies path={[...path, 'dependencies']} />
}

function ReadBeforeWriteFields({ path }: PathProps): ReactNode {
  return (
    <>
      <ChipsField path={[...path, 'read_tools']} label="Tools that read" keepEmpty />
      <ChipsField path={[...path, 'write_tools']} label="Tools that write" keepEmpty />
      <ToggleField
        path={[...path, 'reads_expire_on_change']}
        label="Files changed since they were read must be read again"
        absent
      />
      <ToggleField
        path={[...path, 'writes_count_as_reads']}
        label="Files that the agent wrote count as read"
        absent
      />
      <details>
        <summary className="min-h-6 text-small text-text-2">Paths</summary>
        <div className="mt-2 flex flex-col gap-3">
          <ChipsField
            path={[...path, 'path_params']}
            label="Arguments that hold the path"
            hint="Absent: path, file_path"
            adding="add argument"
          />
          <TextField
            path={[...path, 'mount_point']}
            label="Mount point"
            placeholder="/workspace"
            hint="Prefix under which the tools see the workspace"
          />
        </div>
      </details>
    </>
  )
}

function ExpressionFields({ path }: PathProps): ReactNode {
  return (
    <>
      <TextField
        path={[...path, 'deny_when']}
        label="Deny when"
        multiline
        placeholder="args.command.startsWith('rm ')"
        hint="CEL over tool, args, calls and session. Fill in either this or Require."
      />
      <TextField
        path={[...path, 'require']}
        label="Require"
        multiline
        placeholder="calls.run_tests.succeeded > 0"
      />
      <ChipsField path={[...path, 'tools']} label="Tools" hint="Leave empty for all tools" />
      <TextField
        path={[...path, 'reason']}
        label="Message to the agent"
        placeholder="Denied by policy."
      />
    </>
  )
}

function RateLimitFields({ path }: PathProps): ReactNode {
  return (
    <>
      <ChipsField path={[...path, 'tools']} label="Tools, counted together" keepEmpty />
      <div className="flex flex-wrap gap-3">
        <NumberField path={[...path, 'max_calls']} label="Calls" />
        <NumberField path={[...path, 'per_seconds']} label="in seconds" />
      </div>
    </>
  )
}

function ApprovalFields({ path }: PathProps): ReactNode {
  return (
    <>
      <ChipsField path={[...path, 'tools']} label="Tools" keepEmpty />
      <NumberField
        path={[...path, 'timeout_seconds']}
        label="Timeout in seconds"
        hint="A person decides each call that every other rule allows."
      />
    </>
  )
}

export const POLICY_FORMS = [
  {
    label: 'Sequential dependency',
    rule: NEW_POLICIES.sequential_dependency,
    Fields: SequentialFields,
  },
  {
    label: 'Read before write',
    rule: NEW_POLICIES.read_before_write,
    Fields: ReadBeforeWriteFields,
  },
  {
    label: 'Expression',
    rule: NEW_POLICIES.expression,
    Fields: ExpressionFields,
  },
  {
    label: 'Rate limit',
    rule: NEW_POLICIES.rate_limit,
    Fields: RateLimitFields,
  },
  {
    label: 'Approval',
    rule: NEW_POLICIES.approval,
    Fields: ApprovalFields,
  },
] as const
