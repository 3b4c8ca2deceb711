// /settings leads to its first page.
import { redirect } from 'next/navigation'

export default function SettingsPage() {
  redirect('/settings/keys')
}
