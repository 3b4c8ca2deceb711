// Redirects to the first page of Settings.
import { redirect } from 'next/navigation'

export default function SettingsPage() {
  redirect('/settings/keys')
}
