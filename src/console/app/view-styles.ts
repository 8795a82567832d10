// The styles of all views but a folder's, as a module that can be loaded.
import '../styles/views.css';
