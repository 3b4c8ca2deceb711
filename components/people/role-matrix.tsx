// Same as in server/platform/auth/permissions.ts.
import { Check } from 'lucide-react'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { ROLES } from './grant.ts'

/** Lowest role for each action; each role includes the rights of the previous ones. */
const ACTS = [
  { does: 'Read sessions, stops, configs and runtimes', from: 'viewer' },
  { does: 'Save personal views', from: 'viewer' },
  { does: 'Make and edit drafts, run the demo, import sessions', from: 'editor' },
  { does: 'Write annotations, label sessions, share saved views', from: 'editor' },
  { does: 'Acknowledge alerts and mute their rules', from: 'editor' },
  { does: 'Publish, promote and roll back, in the named environments', from: 'publisher' },
  { does: 'Approve or deny waiting calls, in the named environments', from: 'publisher' },
  { does: 'Archive configs that no environment runs', from: 'publisher' },
  { does: 'See and change alert rules, destinations and webhook streams', from: 'admin' },
  { does: 'Delete annotations and shared views of others', from: 'admin' },
  { does: 'Manage users, API keys, audit log and the project', from: 'admin' },
] as const satisfies readonly { readonly does: string; readonly from: (typeof ROLES)[number] }[]

export function RoleMatrix() {
  return (
    <Card>
      <CardHeader title="Roles" aside="publishers can be limited to environments, by name" />
      <Table>
        <thead>
          <tr>
            <HeadCell>Action</HeadCell>
            {ROLES.map((role) => (
              <HeadCell key={role}>{role}</HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {ACTS.map(({ does, from }) => (
            <Row key={does}>
              <Cell className="whitespace-normal">{does}</Cell>
              {ROLES.map((role) => (
                <Cell key={role}>
                  {ROLES.indexOf(role) >= ROLES.indexOf(from) ? (
                    <>
                      <Check size={14} aria-hidden />
                      <span className="sr-only">yes</span>
                    </>
                  ) : (
                    <span className="text-text-3">
                      –<span className="sr-only"> no</span>
                    </span>
                  )}
                </Cell>
              ))}
            </Row>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}
